package kernels

import (
	"slices"

	"cotenant/workload"
)

// Accessible lists what the kernels may access, as workload.App has it: the
// variables of the PTX, the arrays and the heap, by address. It must be called before the
// first Next, as steps may swap arrays.
func (i *Instance) Accessible() []workload.Array {
	list := append(i.memory.Variables(i.m.module), i.heap...)
	for _, a := range i.Arrays() {
		a.Data = nil
		list = append(list, a)
	}
	workload.SortArrays(list)
	return list
}

// origin is where the contents come from that an array has when a kernel is
// launched with it for the first time. The manifest gives it some, or a step of
// the host program does before that launch, in the order in which they are
// written, be it that it uploads the array or that it changes it: the host has
// written it then. What a step behind the first launch does, as the next turn of
// a repetition may, comes to an array that the device has already.
func (m *Manifest) origin(name string) workload.Origin {
	a := m.arrayOf(name)
	if a == nil || len(keysOf(&a.Source))+len(keysOf(&a.Generators)) > 0 ||
		slices.ContainsFunc(a.Fields, func(f ArrayField) bool { return len(keysOf(&f.Source)) > 0 }) {
		return workload.Uploaded
	}
	origin := workload.Untouched
	host := workload.Uploaded
	if a.Output {
		host = workload.Overwritten
	}
	settled := false
	eachStep(m.Steps, "steps", func(_ string, s *Step) {
		switch {
		case settled:
		case s.Launch != nil && m.takes(s.Launch, name):
			settled = true
		case s.writes(name):
			origin, settled = host, true
		}
	})
	return origin
}

// arrayOf is the entry that makes an array of a name; nil if the array is among
// several that a generator makes.
func (m *Manifest) arrayOf(name string) *Array {
	for k := range m.Arrays {
		if m.Arrays[k].Name == name {
			return &m.Arrays[k]
		}
	}
	return nil
}

// writes reports whether the step gives an array contents: all of it, a part, or
// a field of its structures.
func (s *Step) writes(name string) bool {
	var to []string
	switch {
	case s.Upload != nil:
		to = s.Upload
	case s.Copy != nil:
		to = []string{s.Copy.To}
	case s.Fill != nil:
		to = []string{s.Fill.Array}
	case s.Set != nil:
		to = []string{s.Set.Array}
	case s.PrefixSum != nil && s.PrefixSum.To != "":
		to = []string{s.PrefixSum.To}
	case s.PrefixSum != nil:
		to = []string{s.PrefixSum.From}
	}
	return slices.ContainsFunc(to, func(n string) bool { return within(n, name) })
}

// within reports whether a name is that of an array or of a field of it.
func within(name, array string) bool {
	return name == array || len(name) > len(array) && name[:len(array)] == array && name[len(array)] == '.'
}

// takes reports whether a launch is given an array: its address, or a field's, is
// in an argument, or it is read as a texture.
func (m *Manifest) takes(s *LaunchStep, array string) bool {
	names := func(e *Expr) bool { return addresses(&e.root, array) }
	for k := range s.Args {
		a := &s.Args[k]
		if names(&a.Value) {
			return true
		}
		for f := range a.Fields {
			if names(&a.Fields[f].Value) || slices.ContainsFunc(a.Fields[f].Values, func(e Expr) bool { return names(&e) }) {
				return true
			}
		}
	}
	return slices.ContainsFunc(m.Textures, func(t Texture) bool { return within(t.Array, array) }) ||
		slices.ContainsFunc(m.TensorMaps, func(t TensorMap) bool { return within(t.Array, array) })
}

// addresses reports whether an expression has the address of an array: an element
// is a number.
func addresses(n *node, array string) bool {
	return n.form == variable && within(n.name, array) ||
		n.form != element && slices.ContainsFunc(n.args, func(n node) bool { return addresses(&n, array) })
}
