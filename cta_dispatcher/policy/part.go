package policy

import (
	"slices"

	"cotenant/protocol"
)

// Within makes part the View of some SMs of a GPU and of the tenants that own reports. The SMs
// of a range are its SMs 0 and up; they are the GPU's, so that actions change both Views.
// Tenants keep their numbers, those of other parts are absent; Refresh brings them up to date
// after an action. The part's Machine stays as it is.
func (v *View) Within(part *View, sms Range, own func(tenant int) bool) {
	part.Event, part.first = v.Event, v.first+sms.First
	part.SMs = v.SMs[sms.First:sms.End]
	part.Refresh(v, own)
	part.Kernels, part.Active, part.Windows = part.Kernels[:0], part.Active[:0], part.Windows[:0]
	for _, k := range v.Kernels {
		if own(k.Tenant) {
			part.Kernels = append(part.Kernels, k)
		}
	}
	for _, t := range v.Active {
		if own(t) {
			part.Active = append(part.Active, t)
		}
	}
	for _, w := range v.Windows {
		if w.Unit.Kind == protocol.KindSM && sms.Has(w.Unit.Index) {
			w.Unit.Index -= sms.First
			part.Windows = append(part.Windows, w)
		}
	}
}

// Refresh copies the tenants of a part from the View of the GPU. They are ranked among
// themselves.
func (v *View) Refresh(gpu *View, own func(tenant int) bool) {
	v.Tenants = append(v.Tenants[:0], gpu.Tenants...)
	for t := range v.Tenants {
		one := &v.Tenants[t]
		if !own(t) {
			*one = Tenant{Name: one.Name}
		} else if at, known := slices.BinarySearch(v.ranks, one.Rank); one.Present && !known {
			v.ranks = slices.Insert(v.ranks, at, one.Rank)
		}
	}
	for t := range v.Tenants {
		if at, known := slices.BinarySearch(v.ranks, v.Tenants[t].Rank); known {
			v.Tenants[t].Rank = at
		}
	}
}
