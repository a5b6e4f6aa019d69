package programs

import (
	"math"
	"slices"

	"cotenant/workload"
)

// residency is what the program asks of the L2.
type residency struct {
	windows []workload.Window // by number, from 1
	bytes   uint64            // to be set aside
	asked   bool              // bytes counts: the program has said how many
	reset   bool              // the next launch finds no line that is kept
}

// properties are the priorities of CUDA's access properties.
var properties = [...]workload.Priority{workload.EvictNormal, workload.EvictFirst, workload.EvictLast}

// openWindow gives a window a number. Equal windows have the same.
func (s *Session) openWindow(r *request) (*workload.Op, error) {
	hit, miss, share := r.args[3]&0xff, r.args[3]>>8, math.Float32frombits(uint32(r.args[2]))
	if hit >= uint64(len(properties)) || miss > 1 || !(share >= 0 && share <= 1) {
		return s.refuse(invalidValue)
	}
	rest := workload.Unchanged
	if miss == 1 {
		rest = workload.EvictFirst
	}
	w := workload.Window{Base: r.args[0], Bytes: r.args[1], Eviction: workload.NewEviction(properties[hit], rest, float64(share))}
	n := slices.Index(s.residency.windows, w)
	if n < 0 {
		if n = len(s.residency.windows); n == maxWindows {
			return s.refuse(outOfMemory)
		}
		s.residency.windows = append(s.residency.windows, w)
	}
	return s.give(uint64(n) + 1)
}

// setAside sets aside a part of the L2 from the next launch on, once all commands have completed.
func (s *Session) setAside(r *request) (*workload.Op, error) {
	if r.args[0] > uint64(s.spec.Device.PersistingBytes) {
		return s.refuse(invalidValue)
	}
	s.residency.bytes, s.residency.asked = r.args[0], true
	return &workload.Op{Sync: true}, nil
}

// release has the L2 keep no line when the next launch starts.
func (s *Session) release(*request) (*workload.Op, error) {
	s.residency.reset = true
	return nil, nil
}

// has reports whether a launch's flags name a window, or none.
func (r *residency) has(flags uint64) bool {
	return flags>>windowShift&maxWindows <= uint64(len(r.windows))
}

// of is what a launch asks for by its flags.
func (r *residency) of(flags uint64) *workload.Residency {
	n := flags >> windowShift & maxWindows
	if n == 0 && !r.asked && !r.reset {
		return nil
	}
	asks := &workload.Residency{SetAside: r.bytes, Reset: r.reset}
	if n > 0 {
		asks.Window = r.windows[n-1]
	}
	r.reset = false
	return asks
}
