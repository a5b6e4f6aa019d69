package kernels

import (
	"fmt"
	"strings"
)

// ArrayField is a field of the structures that an array holds, or an array of
// some elements in each.
type ArrayField struct {
	// Name is letters, digits and underscores. ARRAY.NAME is the field of all
	// structures, as an array. Required.
	Name string `yaml:"name"`
	// Type is u8, s8, u16, s16, u32, s32, u64, s64, f32 or f64. Required.
	Type string `yaml:"type"`
	// Count is the number of elements in each structure, 1 to 1000. Default 1.
	Count int `yaml:"count"`
	// Align is what the offset is a multiple of, a power of two from the size of
	// the type to 256, such as 16 for a float4. Default the size.
	Align int `yaml:"align"`
	// Source says where its contents come from, as of an array. In a formula i
	// counts the elements of the field through all structures.
	Source `yaml:",inline"`
}

// SetDefaults sets every field to its default.
func (f *ArrayField) SetDefaults() { *f = ArrayField{Count: 1} }

// maxAlign is the largest alignment, that of an array.
const maxAlign = 256

// structures checks an array of structures.
func (c *checker) structures(path string, a *Array) {
	c.count(path+".fields", len(a.Fields), 1)
	names := map[string]bool{}
	for i := range a.Fields {
		f, path := &a.Fields[i], fmt.Sprintf("%s.fields[%d]", path, i)
		c.name(path+".name", f.Name)
		if names[f.Name] {
			c.fail(path+".name", "is %q, the name of an earlier field; valid: a name of its own", f.Name)
		}
		names[f.Name] = true
		t, ok := elementOf(f.Type)
		if !ok {
			c.fail(path+".type", "is %q; valid: %s", f.Type, elementNames())
		}
		if f.Count < 1 || f.Count > maxEntries {
			c.fail(path+".count", "is %d; valid: 1 to %d", f.Count, maxEntries)
		}
		if f.Align != 0 && (f.Align < t.bytes || f.Align > maxAlign || f.Align&(f.Align-1) != 0) {
			c.fail(path+".align", "is %d; valid: powers of two from %d to %d", f.Align, t.bytes, maxAlign)
		}
		if n := c.source(path, &f.Source); n > 1 {
			c.fail(path, "has %d sources of its contents; valid: one, or none for zeros", n)
		} else if n > 0 && a.File != "" {
			c.fail(path, "has a source of its contents, and so has the array; valid: one of them")
		}
	}
	if a.Type != "" {
		c.fail(path+".type", "is %q beside fields; valid: either", a.Type)
	}
}

// member is where a field lies in a structure.
type member struct {
	elementType
	name          string
	offset, count int
}

// layout lays fields out as C does: each at a multiple of its alignment, the
// whole a multiple of the largest.
func layout(fields []ArrayField) (t elementType, members []*member) {
	var text []string
	end, whole := 0, 1
	for i := range fields {
		f := &fields[i]
		m := &member{name: f.Name, count: f.Count}
		m.elementType, _ = elementOf(f.Type)
		align := max(f.Align, m.bytes)
		m.offset = roundup(end, align)
		end = m.offset + m.count*m.bytes
		whole = max(whole, align)
		members = append(members, m)
		entry := fmt.Sprintf("name: %s, type: %s", f.Name, f.Type)
		if f.Count > 1 {
			entry += fmt.Sprintf(", count: %d", f.Count)
		}
		if f.Align > 0 {
			entry += fmt.Sprintf(", align: %d", f.Align)
		}
		text = append(text, "{"+entry+"}")
	}
	return elementType{name: "fields: [" + strings.Join(text, ", ") + "]", bytes: roundup(end, whole), structure: true}, members
}

func roundup(n, unit int) int { return (n + unit - 1) / unit * unit }

// of is the array of a field of the structures that data holds, which lie one
// behind the other.
func (m *member) of(d *Data, data []byte) *Data {
	v := &Data{Addr: d.Addr + uint64(m.offset), Length: d.Length * m.count, typ: m.elementType, stride: d.typ.bytes, group: m.count}
	if len(data) > 0 {
		v.Bytes = data[m.offset:]
	}
	return v
}

// structures makes an array of structures.
func (a *args) structures(array *Array) {
	t, members := layout(array.Fields)
	var data []byte
	have := 0
	if array.File != "" {
		data = a.fileOf(array.File, t)
		have = len(data) / t.bytes
	}
	length := a.length(array, have)
	d := a.add(array.Name, t, length, a.margin(array))
	if d == nil {
		return
	}
	copy(d.Bytes, data)
	d.members = members
	path := a.path
	for i, m := range members {
		v := m.of(d, d.Bytes)
		a.arrays[join(array.Name, m.name)] = v
		f := &array.Fields[i]
		if a.err != nil || f.Source.ways() == 0 {
			continue
		}
		a.path = fmt.Sprintf("%s.fields[%d]", path, i)
		contents := make([]byte, v.Length*m.bytes)
		a.fill(&f.Source, m.elementType, contents)
		v.scatter(0, contents)
	}
	a.path = path
}
