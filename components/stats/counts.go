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
func List(of any) Counts { return list(nil, "", reflect.ValueOf(of).Elem(), true) }

// Tenant lists the counters of one tenant in a Stats struct, pointed to; nil if
// it has none by tenant.
func Tenant(of any, number int) Counts {
	v, apart, ok := byTenant(of)
	if !ok {
		return nil
	}
	sum := reflect.New(v.Type().Elem()).Elem()
	for i := number; i < v.Len(); i += apart {
		add(sum, v.Index(i), 1)
	}
	return list(nil, "", sum, false)
}

// byTenant is the field with the counters of each tenant, and how far apart those
// of one lie.
func byTenant(of any) (list reflect.Value, apart int, ok bool) {
	v := reflect.ValueOf(of).Elem()
	for _, f := range fieldsOf(v.Type()) {
		switch list := v.Field(f.index); f.name {
		case tenants:
			return list, list.Len() + 1, true
		case accounts:
			return list, list.Addr().Interface().(Grouped).Tenants(), true
		}
	}
	return list, 0, false
}

// Collect makes the group of the blocks whose Stats are given, at least one, as
// pointers to structs of one type, for the first n tenants. A counter that the
// block has for itself and for each tenant is, in the total, the block's.
func Collect(blocks []any, n int) Group {
	sum := reflect.New(reflect.TypeOf(blocks[0]).Elem())
	for _, b := range blocks {
		add(sum.Elem(), reflect.ValueOf(b).Elem(), 1)
	}
	group := Group{Total: List(sum.Interface())}
	all, _, ok := byTenant(sum.Interface())
	if !ok {
		return group
	}
	total := reflect.New(all.Type().Elem()).Elem()
	for i := range all.Len() {
		add(total, all.Index(i), 1)
	}
	for _, c := range list(nil, "", total, false) {
		if _, own := group.Total.Get(c.Name); !own {
			group.Total = append(group.Total, c)
		}
	}
	for i := range n {
		group.Tenants = append(group.Tenants, Tenant(sum.Interface(), i))
	}
	return group
}

// list appends the counters in v, without those of each tenant if it is to be so.
func list(to Counts, prefix string, v reflect.Value, without bool) Counts {
	switch v.Kind() {
	case reflect.Uint64:
		return append(to, Count{prefix, v.Uint()})
	case reflect.Struct:
		if prefix != "" {
			prefix += "_"
		}
		for _, f := range fieldsOf(v.Type()) {
			if !without || f.name != tenants && f.name != accounts {
				to = list(to, prefix+f.name, v.Field(f.index), false)
			}
		}
	case reflect.Array:
		labels, _ := v.Interface().(Labelled)
		for i := range v.Len() {
			label := strconv.Itoa(i)
			if labels != nil {
				label = labels.Label(i)
			}
			to = list(to, prefix+"_"+label, v.Index(i), false)
		}
	case reflect.Slice:
		sum := reflect.New(v.Type().Elem()).Elem()
		for i := range v.Len() {
			add(sum, v.Index(i), 1)
		}
		to = list(to, prefix, sum, false)
	}
	return to
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
