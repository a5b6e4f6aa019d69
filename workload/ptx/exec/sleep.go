package exec

import "math/bits"

// longestSleep is the most that a nanosleep takes, in ns (PTX ISA, nanosleep: one
// millisecond).
const longestSleep = 1_000_000

// buildSleep builds nanosleep. It changes no register; a timed run keeps the warp asleep.
func buildSleep(b *builder) { b.o.run, b.o.sleeps = runSleep, true }

// runSleep finds out how long the warp sleeps: as long as the active lane with the longest
// time. The PTX ISA lets it take from nothing to twice that time.
func runSleep(w *Warp, o *op) {
	t := w.src(o.a)
	w.sleep = 0
	for m := w.active; m != 0; m &= m - 1 {
		w.sleep = max(w.sleep, uint32(t[bits.TrailingZeros32(m)&(lanes-1)]))
	}
	w.sleep = min(w.sleep, longestSleep)
}
