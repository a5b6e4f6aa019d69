package docs

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"cotenant/experiment"
	"cotenant/experiment/reproduce"
	"cotenant/experiment/sampling"
	"cotenant/experiment/validation"
	"cotenant/metrics"
	"cotenant/sm"
)

func TestOutputExplainsEveryCauseOfAStall(t *testing.T) {
	table := "| Cause | The scheduler's cycle |\n|---|---|\n"
	for _, c := range sm.Causes() {
		table += fmt.Sprintf("| `%s` | %s |\n", c.Name, c.About)
	}
	requireGenerated(t, "output.md", table)
}

func TestOutputNamesEveryField(t *testing.T) {
	text := read(t, "output.md")
	for _, form := range []any{experiment.Result{}, sampling.Result{}, reproduce.Report{}, validation.Report{}, metrics.RateControl{}, metrics.SMArea{}, metrics.SMEnergyOfKind{}} {
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
