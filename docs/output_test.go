package docs

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/experiment"
	"cotenant/experiment/reproduce"
	"cotenant/experiment/validation"
	"cotenant/metrics"
	"cotenant/sm"
)

func TestOutputExplainsEveryCauseOfAStall(t *testing.T) {
	_, table, found := strings.Cut(read(t, "output.md"), "| Cause |")
	require.True(t, found)
	table, _, _ = strings.Cut(table, "\n\n")
	for cause := range sm.NumCauses {
		assert.Contains(t, table, "`"+cause.String()+"`")
	}
}

func TestOutputNamesEveryField(t *testing.T) {
	text := read(t, "output.md")
	for _, form := range []any{experiment.Result{}, reproduce.Report{}, validation.Report{}, metrics.RateControl{}, metrics.SMArea{}, metrics.SMEnergyOfKind{}} {
		for _, name := range fields(reflect.TypeOf(form)) {
			assert.Regexp(t, "`"+name+"(`|\\[\\])", text)
		}
	}
}

// fields are the JSON names of a struct's fields, and of those inside them.
func fields(of reflect.Type) (names []string) {
	for of.Kind() == reflect.Slice || of.Kind() == reflect.Pointer || of.Kind() == reflect.Map {
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct || of.PkgPath() == "cotenant/components/stats" {
		return nil // counters follow from the blocks
	}
	for i := range of.NumField() {
		f := of.Field(i)
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
			names = append(names, name)
		}
		names = append(names, fields(f.Type)...)
	}
	return names
}
