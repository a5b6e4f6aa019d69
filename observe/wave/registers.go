package wave

import (
	"bufio"
	"bytes"
	"fmt"
	"math"

	"cotenant/cta_dispatcher/policy"
)

// driverScope is the scope of a policy's registers.
const driverScope = "GPU.Driver"

// registers are the policy's registers. The policy names them at the end of its first
// window, but a wave lists its signals before all changes: so changes are kept until then.
type registers struct {
	top     *scope
	file    *bufio.Writer
	changes *bytes.Buffer // nil when the list is written
	signals []int
}

// wait starts keeping changes.
func (r *registers) wait(w *Writer, top *scope) {
	r.top, r.file, r.changes = top, w.out, &bytes.Buffer{}
	w.out = bufio.NewWriter(r.changes)
}

// known writes the list of signals, and the changes so far.
func (r *registers) known(w *Writer) {
	if r.changes == nil {
		return
	}
	// Only writing the file can fail, and its first error stays.
	_ = w.out.Flush()
	w.out = r.file
	w.begin(r.top)
	_, _ = w.out.Write(r.changes.Bytes())
	r.changes = nil
}

// set gives the registers their values at a cycle.
func (r *registers) set(w *Writer, cycle uint64, list []policy.RegisterValue) {
	if r.changes != nil && len(list) > 0 {
		for _, v := range list {
			r.signals = append(r.signals, w.addReal(r.top.at(driverScope), r.name(w, &v)))
		}
		r.known(w)
	}
	for i, n := range r.signals {
		w.set(cycle, n, math.Float64bits(list[i].Value))
	}
}

func (r *registers) name(w *Writer, v *policy.RegisterValue) string {
	if v.Tenant < 0 {
		return v.Name
	}
	return fmt.Sprintf("%s_%d_%s", v.Name, v.Tenant, w.tenants[v.Tenant])
}

// addReal declares a signal of real numbers. The first value is always written.
func (w *Writer) addReal(s *scope, name string) int {
	n := w.add(s, name, 64, 0)
	w.signals[n].real, w.signals[n].written = true, none
	return n
}
