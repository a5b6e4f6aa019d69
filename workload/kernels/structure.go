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
	Name string `yaml:"name" name:"any"`
	// Type is u8, s8, u16, s16, u32, s32, u64, s64, f32, f64, f16, bf16, e4m3 or e5m2. Required.
	Type string `yaml:"type" words:"u8, s8, u16, s16, u32, s32, u64, s64, f32, f64, f16, bf16, e4m3, e5m2"`
	// Count is the number of elements in each structure. Default 1.
	Count int `yaml:"count" range:"1..1000"`
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

// checkFields checks the fields of an array that has sources of its own.
func (a *Array) checkFields(c *checker, path string, sources []string) {
	names := namesOf(a.Fields, func(f *ArrayField) string { return f.Name })
	if i := repeated(names); i >= 0 {
		c.m.fail(fmt.Sprintf("%s.fields[%d].name", path, i), "is %q, the name of an earlier field; valid: a name of its own", names[i])
	}
	for i := range a.Fields {
		if a.File != "" && len(keysOf(&a.Fields[i].Source)) > 0 {
			c.m.fail(fmt.Sprintf("%s.fields[%d]", path, i), "has a source of its contents, and so has the array; valid: one of them")
		}
	}
	if a.Type != "" {
		c.m.fail(path+".type", "is %q beside fields; valid: either", a.Type)
	}
	if len(sources) > 0 && a.File == "" {
		c.m.fail(path, "has a source of its contents beside fields; valid: file, or those of the fields")
	}
}

func (f *ArrayField) check(c *checker, path string) {
	t, _ := elementOf(f.Type)
	if f.Align != 0 && (f.Align < t.bytes || f.Align > maxAlign || f.Align&(f.Align-1) != 0) {
		c.m.fail(path+".align", "is %d; valid: powers of two from %d to %d", f.Align, t.bytes, maxAlign)
	}
	if n := len(keysOf(&f.Source)); n > 1 {
		c.m.fail(path, "has %d sources of its contents; valid: one, or none for zeros", n)
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
func (i *Instance) structures(path string, array *Array) {
	t, members := layout(array.Fields)
	var data []byte
	if array.File != "" {
		data = i.m.elements(path, array.File, t.bytes, zeros)
	}
	d := i.addArray(path, array, t, len(data)/t.bytes)
	copy(d.Bytes, data)
	d.members = members
	for n, m := range members {
		v := m.of(d, d.Bytes)
		i.arrays[join(array.Name, m.name)] = v
		if f := &array.Fields[n]; len(keysOf(&f.Source)) > 0 {
			contents := make([]byte, v.Length*m.bytes)
			i.fill(fmt.Sprintf("%s.fields[%d]", path, n), &f.Source, m.elementType, contents)
			v.scatter(0, contents)
		}
	}
}
