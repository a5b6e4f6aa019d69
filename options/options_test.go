package options

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var syntax = Syntax{Joint: ",", Equals: ":", Valid: "a, b"}

func TestOptionsAreReadInTheirOrder(t *testing.T) {
	got, err := syntax.Parse("b:1,a:x:y")
	require.NoError(t, err)
	assert.Equal(t, []Option{{"b", "1"}, {"a", "x:y"}}, got)
	assert.Equal(t, "a:x:y", syntax.Text(got[1]))
}

func TestWhichOptionIsWrong(t *testing.T) {
	for list, want := range map[string]string{
		"":          `invalid option ""; valid: a, b`,
		"a":         `invalid option "a"; valid: a, b`,
		"a:":        `invalid option "a:"; valid: a, b`,
		":1":        `invalid option ":1"; valid: a, b`,
		"a:1,":      `invalid option ""; valid: a, b`,
		"a:1,b:2,,": `invalid option ""; valid: a, b`,
		"a:1,a:1":   `option a is given twice; once is enough`,
	} {
		_, err := syntax.Parse(list)
		assert.EqualError(t, err, want, list)
	}
}
