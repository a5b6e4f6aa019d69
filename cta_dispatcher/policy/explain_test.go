package policy_test

import (
	"encoding/json"
	"math"
	"testing"

	"cotenant/cta_dispatcher/policy"

	"github.com/stretchr/testify/require"
)

// telling is a policy that explains itself with some tables.
type telling struct{ tables []policy.Table }

func (telling) Decide(*policy.View, policy.Actions) {}

func (e telling) Needs() policy.Needs {
	return policy.Needs{Explain: func() []policy.Table { return e.tables }}
}

var (
	note  = &policy.Form{Name: "note", Facts: []policy.Column{{Name: "cycles"}, {Name: "who", Kind: policy.Text, Optional: true}}}
	plain = &policy.Form{Name: "plain", Columns: []policy.Column{{Name: "tenant", Kind: policy.TenantNumber}, {Name: "rate", Kind: policy.Number}}}
	deep  = &policy.Form{Name: "deep", RowsKey: "rows", Order: []string{"a", "in.x", "in.y", "b"},
		Facts:   []policy.Column{{Name: "now", Kind: policy.Present}},
		Columns: []policy.Column{{Name: "in.x", Kind: policy.Flag}, {Name: "in.y", Kind: policy.Curve}, {Name: "b"}, {Name: "a", Kind: policy.Text}}}
)

func init() {
	policy.Register(policy.Descriptor{Name: "telling", About: "for tests", Explains: []*policy.Form{note, plain, deep}, New: func(*policy.Options) policy.Policy { return telling{} }})
}

func TestTablesComeBackFromTheirJSON(t *testing.T) {
	tables := []policy.Table{
		note.With(policy.Cells{"cycles": 7}),
		plain.With(nil, policy.Cells{"tenant": 1, "rate": 1.23456789}, policy.Cells{"tenant": 0, "rate": math.Inf(1)}),
		{Form: deep, Sections: []policy.Section{
			{Facts: policy.Cells{"now": false}, Rows: []policy.Cells{{"in.x": true, "in.y": []float64{0, 2.0 / 3}, "b": 3, "a": "w"}}},
			{Facts: policy.Cells{"now": true}}}}}
	text := policy.Explain(telling{tables})
	require.Equal(t, `{"note":{"cycles":7},"plain":[{"tenant":1,"rate":1.23457},{"tenant":0,"rate":null}],`+
		`"deep":[{"now":false,"rows":[{"a":"w","in":{"x":true,"y":[0,0.666667]},"b":3}]},{"now":true,"rows":null}]}`, string(text))
	back := policy.Tables("telling", text)
	require.Len(t, back, 3)
	require.Equal(t, policy.Cells{"cycles": 7, "who": nil}, back[0].Sections[0].Facts)
	require.Equal(t, []policy.Cells{{"tenant": 1, "rate": 1.23457}, {"tenant": 0, "rate": nil}}, back[1].Sections[0].Rows)
	require.Equal(t, policy.Cells{"in.x": true, "in.y": []float64{0, 0.666667}, "b": 3, "a": "w"}, back[2].Sections[0].Rows[0])
	require.False(t, back[2].Present(&back[2].Sections[0]))
	require.True(t, back[2].Present(&back[2].Sections[1]))
	require.Equal(t, text, policy.Explain(telling{back}), "read and written again")
}

func TestTablesOfOtherFormsAreSkipped(t *testing.T) {
	require.Empty(t, policy.Tables("telling", json.RawMessage(`{"note":[1],"plain":{"rate":2},"deep":7,"new":{}}`)))
	require.Empty(t, policy.Tables("telling", nil))
	require.Empty(t, policy.Tables("gone", json.RawMessage(`{"note":{}}`)))
	require.Nil(t, policy.Explain(telling{}))
}
