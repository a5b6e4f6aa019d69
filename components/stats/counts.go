package stats

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// Count is a counter by its name. Underscores join the names of nested structs, as in
// l1_hits.
type Count struct {
	Name  string
	Value uint64
	// Optional leaves the counter out of JSON while it is 0.
	Optional bool
}

// Counts are counters in the order of their struct. Their JSON form is an
// object in that order.
type Counts []Count

// Group holds the counters of blocks of one kind.
type Group struct {
	// Total is the sum over blocks and tenants.
	Total Counts `json:"total"`
	// Tenants holds each tenant's part, by its number.
	Tenants []Counts `json:"tenants,omitempty"`
}

// tenants is the name of the field with the counters of each tenant, accounts the name
// of the field with several entries of each.
const tenants, accounts = "tenants", "accounts"

// Grouped is an array of counters with several entries of each tenant: they lie Tenants
// apart, from the entry with the tenant's number on.
type Grouped interface{ Tenants() int }

// Labelled is an array of counters with names for its entries.
type Labelled interface{ Label(i int) string }

// Sparse is an array of counters with entries that few programs count: Optional names them by index. JSON leaves
// them out while they are 0.
type Sparse interface{ Optional(i int) bool }

// List names the counters of a struct, pointed to, except those by tenant. A slice of
// structs is listed by its sums.
func List(of any) Counts { return list(reflect.ValueOf(of).Elem()) }

// list is List of a value that can be addressed.
func list(of reflect.Value) (counts Counts) {
	entries := layoutOf(of.Type()).entries
	for i := range entries {
		switch e := &entries[i]; {
		case e.tenant:
		case e.of == nil:
			counts = append(counts, Count{e.name, *e.in(of.Addr().UnsafePointer()), e.optional})
		default:
			for _, c := range list(sum(e.list(of.Addr().UnsafePointer()), 0, 1)) {
				counts = append(counts, Count{e.name + "_" + c.Name, c.Value, c.Optional || e.optional})
			}
		}
	}
	return counts
}

// sum adds up every n-th entry of a list of structs, from a first on.
func sum(list reflect.Value, first, n int) reflect.Value {
	sum := reflect.New(list.Type().Elem()).Elem()
	for i := first; i < list.Len(); i += n {
		add(sum, list.Index(i), 1)
	}
	return sum
}

// Tenant lists the counters of one tenant in a Stats struct, pointed to; nil if the
// struct has none by tenant.
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

// Collect makes the group of at least one block for the first n tenants. The blocks
// are given by pointers to their Stats, structs of one type. If a block counts
// something for itself and for each tenant, the total is the block's count.
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

// maximum ends the name of a counter that is a largest value so far, and not a sum.
const maximum = "_maximum"

// Since is the group's growth since an earlier state of it. A maximum stays as it is.
func (g Group) Since(earlier Group) Group {
	growth := Group{Total: g.Total.since(earlier.Total)}
	for i, c := range g.Tenants {
		growth.Tenants = append(growth.Tenants, c.since(earlier.Tenants[i]))
	}
	return growth
}

// since subtracts counters of the same names.
func (c Counts) since(earlier Counts) (growth Counts) {
	for _, count := range c {
		before, _ := earlier.Get(count.Name)
		if strings.HasSuffix(count.Name, maximum) {
			before = 0
		}
		growth = append(growth, Count{count.Name, count.Value - before, count.Optional})
	}
	return growth
}

// Get is the value of the counter of a name, if there is one.
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
	for _, count := range c {
		if count.Optional && count.Value == 0 {
			continue
		}
		if len(text) > 1 {
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
		*c = append(*c, Count{Name: name.(string), Value: value})
	}
	return nil
}
