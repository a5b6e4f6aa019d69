package wiring

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"cotenant/protocol"
	"cotenant/sm"
	"cotenant/workload"
)

// Aborted is the error of a run after a forbidden access of a kernel: to an address where
// there is nothing, or a write to a page that is read-only.
type Aborted struct {
	*sm.PageFault
	App   string // the application's name
	Place string // where the address is, beside its arrays, and what would be valid
}

// Error says it all in a line.
func (a *Aborted) Error() string {
	f := a.PageFault
	return fmt.Sprintf("tenant %d (%s): kernel %s, thread block %d, warp %d, %s: %v in the line at %#x, %s",
		f.Account.Tenant(), a.App, f.Kernel, f.TB, f.Warp, f.PC, f.Fault, f.Addr, a.Place)
}

// Unwrap is what the SM knows of it.
func (a *Aborted) Unwrap() error { return a.PageFault }

// explain names kernel and arrays in the error of a run that a page fault has ended. It
// must be called while the kernel is active.
func (p *Platform) explain(err error) error {
	fault := &sm.PageFault{}
	if !errors.As(err, &fault) {
		return err
	}
	number := int(fault.Account.Tenant())
	for _, k := range p.Driver.Active(number) {
		if k.Account == fault.Account {
			fault.Kernel = k.Shape.Name
		}
	}
	app := p.Host.Processes()[number].App
	return &Aborted{fault, app.Name, place(app.Arrays, fault.Addr, fault.Fault)}
}

// place says where a line is among arrays, by address, and what accesses are valid.
func place(arrays []workload.Array, line uint64, fault protocol.Fault) string {
	if fault == protocol.ReadOnly {
		return within(arrays, line) + "; valid: writes to " + named(arrays, func(a *workload.Array) bool { return !a.ReadOnly })
	}
	text := within(arrays, line)
	if len(arrays) > 0 {
		text += "; valid: addresses in pages of arrays"
	}
	return text
}

// within names the array that a line has bytes of, or the nearest on both sides.
func within(arrays []workload.Array, line uint64) string {
	end := line + protocol.LineBytes
	var below, above *workload.Array
	for i := range arrays {
		switch a := &arrays[i]; {
		case a.Bytes == 0:
		case a.Addr < end && line < a.End():
			return "in array " + described(a)
		case a.End() <= line:
			if below == nil || a.End() > below.End() {
				below = a
			}
		case above == nil || a.Addr < above.Addr:
			above = a
		}
	}
	var sides []string
	if below != nil {
		sides = append(sides, fmt.Sprintf("%d bytes behind %s", line-below.End(), described(below)))
	}
	if above != nil {
		sides = append(sides, fmt.Sprintf("%d bytes before %s", above.Addr-line, described(above)))
	}
	if sides == nil {
		return "of an application whose arrays are not known"
	}
	return "which is " + strings.Join(sides, " and ")
}

// described is an array's name and its addresses.
func described(a *workload.Array) string {
	text := fmt.Sprintf("%s (%#x to %#x", a.Name, a.Addr, a.End()-1)
	if a.ReadOnly {
		text += ", read only"
	}
	return text + ")"
}

// most bounds the arrays that an error lists.
const most = 8

// named lists the arrays of a kind.
func named(arrays []workload.Array, is func(*workload.Array) bool) string {
	var list []string
	for i := range arrays {
		if a := &arrays[i]; a.Bytes > 0 && is(a) {
			list = append(list, described(a))
		}
	}
	switch n := len(list); {
	case n == 0:
		return "none of the arrays"
	case n > most:
		list = append(slices.Clip(list[:most]), fmt.Sprintf("and %d more", n-most))
	}
	return strings.Join(list, ", ")
}
