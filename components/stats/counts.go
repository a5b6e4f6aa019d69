package stats

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
)

// Count is a counter by its name. Names of structs in structs are joined by
// underscores, as in l1_hits.
type Count struct {
	Name  string
	Value uint64
}

// Counts are counters in the order of their struct. Their JSON form is an
// object in that order.
type Counts []Count

// Group is what blocks of one kind have counted.
type Group struct {
	// Total is the sum over blocks and tenants.
	Total Counts `json:"total"`
	// Tenants is the part of each, by its number.
	Tenants []Counts `json:"tenants,omitempty"`
}

// tenants is the name of the field with the counters of each tenant, accounts
// that of one with several entries of each.
const tenants, accounts = "tenants", "accounts"

// Grouped is an array of counters with several entries of each tenant: those of
// one lie Tenants apart, from the entry of its number on.
type Grouped interface{ Tenants() int }

// Labelled is an array of counters whose entries have names.
type Labelled interface{ Label(i int) string }

// List names the counters of a struct, pointed to, those of its tenants left
// out. Slices of structs are listed by their sums.
func List(of any) Counts { return list(reflect.ValueOf(of).Elem()) }

// list is List of a value that can be addressed.
func list(of reflect.Value) (counts Counts) {
	entries := layoutOf(of.Type()).entries
	for i := range entries {
		switch e := &entries[i]; {
		case e.tenant:
		case e.of == nil:
			counts = append(counts, Count{e.name, *e.in(of.Addr().UnsafePointer())})
		default:
			for _, c := range list(sum(e.list(of.Addr().UnsafePointer()), 0, 1)) {
				counts = append(counts, Count{e.name + "_" + c.Name, c.Value})
			}
		}
	}
	return counts
}

// sum is that of every n-th entry of a list of structs, from a first on.
func sum(list reflect.Value, first, n int) reflect.Value {
	sum := reflect.New(list.Type().Elem()).Elem()
	for i := first; i < list.Len(); i += n {
		add(sum, list.Index(i), 1)
	}
	return sum
}

// Tenant lists the counters of one tenant in a Stats struct, pointed to; nil if
// it has none by tenant.
func Tenant(of any, number int) Counts {
	v := reflect.ValueOf(of).Elem()
	at := layoutOf(v.Type()).tenants
	if at < 0 {
		return nil
	}
	all := v.Field(at)
	apart := all.Len() + 1
	if g, ok := all.Addr().Interface().(Grouped); ok {
		apart = g.Tenants()
	}
	return list(sum(all, number, apart))
}

// Collect makes the group of the blocks whose Stats are given, at least one, as
// pointers to structs of one type, for the first n tenants. A counter that the
// block has for itself and for each tenant is, in the total, the block's.
func Collect(blocks []any, n int) Group {
	all := reflect.New(reflect.TypeOf(blocks[0]).Elem()).Elem()
	for _, b := range blocks {
		add(all, reflect.ValueOf(b).Elem(), 1)
	}
	group := Group{Total: list(all)}
	at := layoutOf(all.Type()).tenants
	if at < 0 {
		return group
	}
	for _, c := range list(sum(all.Field(at), 0, 1)) {
		if _, own := group.Total.Get(c.Name); !own {
			group.Total = append(group.Total, c)
		}
	}
	for i := range n {
		group.Tenants = append(group.Tenants, Tenant(all.Addr().Interface(), i))
	}
	return group
}

// Get is the value of a counter, if there is one of that name.
func (c Counts) Get(name string) (value uint64, ok bool) {
	for _, count := range c {
		if count.Name == name {
			return count.Value, true
		}
	}
	return 0, false
}

// MarshalJSON writes an object.
func (c Counts) MarshalJSON() ([]byte, error) {
	text := []byte{'{'}
	for i, count := range c {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(strconv.AppendQuote(text, count.Name), ':')
		text = strconv.AppendUint(text, count.Value, 10)
	}
	return append(text, '}'), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (c *Counts) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		return fmt.Errorf("counters are not an object")
	}
	*c = Counts{}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		var value uint64
		if err := d.Decode(&value); err != nil {
			return fmt.Errorf("counter %v: %w", name, err)
		}
		*c = append(*c, Count{name.(string), value})
	}
	return nil
}
