package conservation

import (
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"cotenant/components"
	"cotenant/components/stats"
	"cotenant/platform/wiring"

	"github.com/stretchr/testify/require"
)

// perCycle is the tag of a counter that cannot grow by more in a cycle of its module's
// clock, all tenants together: a number, or the parameter of the module that says it.
const perCycle = "percycle"

// checkPerCycle checks every such counter of every module.
func checkPerCycle(o *outcome, gpu *wiring.Platform) {
	nodes, parts := gpu.Hierarchy(), gpu.Components()
	for i := range nodes {
		clocked, ok := parts[i].(interface{ Domain() *components.Domain })
		if !ok || nodes[i].Stats == nil {
			continue
		}
		cycles := edges(clocked.Domain(), gpu.SMs[0].Domain().At(o.cycles))
		for _, c := range bounded(nodes[i].Stats) {
			if most := c.times(nodes[i].Spec) * cycles; c.value > most {
				o.fail("%s has %d %s in %d cycles, at most %d", nodes[i].Name, c.value, c.name, cycles, most)
			}
		}
	}
}

// edges is the number of edges of a clock before an instant.
func edges(d *components.Domain, at components.Time) uint64 {
	return uint64((at + d.Period() - 1) / d.Period())
}

// counter is a counter with a bound, the sum over tenants.
type counter struct {
	name, most string
	value      uint64
}

// hasBounds reports whether a type has a field with the tag perCycle, at any depth.
func hasBounds(typ reflect.Type) bool {
	if known, ok := typesWithBounds[typ]; ok {
		return known
	}
	switch typ.Kind() {
	case reflect.Array, reflect.Slice:
		return hasBounds(typ.Elem())
	case reflect.Struct:
		found := false
		for i := range typ.NumField() {
			f := typ.Field(i)
			_, ok := f.Tag.Lookup(perCycle)
			found = found || ok || hasBounds(f.Type)
		}
		typesWithBounds[typ] = found
		return found
	}
	return false
}

// typesWithBounds keeps the answers of hasBounds for structs.
var typesWithBounds = map[reflect.Type]bool{}

// bounded lists the counters with bounds of a Stats struct, pointed to. A list's entries
// stand alone, except tenants' entries.
func bounded(of any) (list []counter) {
	var walk func(v reflect.Value, name string, sums map[string]*counter)
	note := func(name, most string, value uint64, sums map[string]*counter) {
		if sums == nil {
			list = append(list, counter{name, most, value})
			return
		}
		if sums[name] == nil {
			sums[name] = &counter{name, most, 0}
		}
		sums[name].value += value
	}
	walk = func(v reflect.Value, name string, sums map[string]*counter) {
		for i := range v.NumField() {
			f := v.Type().Field(i)
			most, ok := f.Tag.Lookup(perCycle)
			if !ok && !hasBounds(f.Type) {
				continue
			}
			name := strings.TrimPrefix(name+"."+f.Name, ".")
			if ok {
				note(name, most, total(v.Field(i)), sums)
				continue
			}
			switch value := v.Field(i); value.Kind() {
			case reflect.Struct:
				walk(value, name, sums)
			case reflect.Array, reflect.Slice:
				if value.Type().Elem().Kind() != reflect.Struct {
					continue
				}
				tenants := f.Name == "Tenants" || f.Name == "Accounts" || f.Tag.Get("json") == "tenants"
				inside := sums
				if tenants {
					inside = map[string]*counter{}
				}
				for j := range value.Len() {
					if tenants {
						walk(value.Index(j), name, inside)
					} else {
						walk(value.Index(j), name+"["+strconv.Itoa(j)+"]", inside)
					}
				}
				if tenants {
					for _, name := range slices.Sorted(maps.Keys(inside)) {
						note(name, inside[name].most, inside[name].value, sums)
					}
				}
			}
		}
	}
	walk(reflect.ValueOf(of).Elem(), "", nil)
	return list
}

// total is a counter, or the sum of an array of them.
func total(v reflect.Value) (sum uint64) {
	if v.Kind() != reflect.Array {
		return v.Uint()
	}
	for i := range v.Len() {
		sum += v.Index(i).Uint()
	}
	return sum
}

// times is how much a counter grows in a cycle at most, on a module of such parameters.
func (c counter) times(spec any) uint64 {
	if n, err := strconv.ParseUint(c.most, 10, 64); err == nil {
		return n
	}
	v := reflect.ValueOf(spec)
	for i := range v.NumField() {
		if key, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ","); key == c.most {
			return uint64(v.Field(i).Int())
		}
	}
	panic("no parameter " + c.most + ", the bound of " + c.name)
}

func TestBoundsAreFound(t *testing.T) {
	type share struct {
		Busy  uint64 `percycle:"2"`
		Other uint64
	}
	type spec struct {
		Units int `yaml:"units,omitempty"`
	}
	s := struct {
		Held    uint64 `percycle:"units"`
		Tenants [2]share
		Ports   []share
		Causes  struct {
			Of [3]uint64 `percycle:"1"`
		}
	}{Held: 5, Tenants: [2]share{{Busy: 3, Other: 9}, {Busy: 4}}, Ports: []share{{Busy: 1}, {Busy: 7}}}
	s.Causes.Of = [3]uint64{1, 2, 3}
	require.Equal(t, []counter{{"Held", "units", 5}, {"Tenants.Busy", "2", 7}, {"Ports[0].Busy", "2", 1}, {"Ports[1].Busy", "2", 7}, {"Causes.Of", "1", 6}}, bounded(&s))
	require.Equal(t, uint64(3), counter{most: "units"}.times(spec{Units: 3}))
	require.Equal(t, uint64(12), counter{most: "12"}.times(spec{}))
	require.Panics(t, func() { counter{most: "absent"}.times(spec{}) })
}

// A counter of busy cycles has a bound, or it would not be checked.
func TestBusyCountersHaveBounds(t *testing.T) {
	m := mix{gpu: "pagefault16?sms=1&host.ideal=false&sm.irc.sub_queues=8", policy: "fcfs", apps: []string{"sgemm?size=tiny"}, pages: "demand", cycles: 1000}
	o := perform(&m, nil)
	require.NoError(t, o.err)
	found := 0
	for _, node := range o.gpu.Hierarchy() {
		if node.Stats == nil {
			continue
		}
		var walk func(typ reflect.Type)
		walk = func(typ reflect.Type) {
			switch typ.Kind() {
			case reflect.Array, reflect.Slice, reflect.Pointer:
				walk(typ.Elem())
			case reflect.Struct:
				for i := range typ.NumField() {
					f := typ.Field(i)
					if strings.Contains(stats.Snake(f.Name), "bus") { // busy, or of a bus
						_, ok := f.Tag.Lookup(perCycle)
						require.True(t, ok, "%s.%s of %s has no tag %s", typ, f.Name, node.Name, perCycle)
						found++
					}
					walk(f.Type)
				}
			}
		}
		walk(reflect.TypeOf(node.Stats))
	}
	require.Greater(t, found, 3)
}
