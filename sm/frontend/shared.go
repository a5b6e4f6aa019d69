package frontend

import (
	"math/bits"

	"cotenant/sm/warps"
)

// fetchShared starts one fetch for the SM. The fetch unit that the schedulers
// share goes round the first slot of every scheduler, then the second of each,
// and so on: GPGPU-Sim numbers warps so that a warp's scheduler is its number
// modulo the schedulers, and fetches in the order of the numbers.
func (u *Unit) fetchShared(cycle uint64) bool {
	n := len(u.signals)
	slot, scheduler := u.turn/n, u.turn%n
	best := warps.PerScheduler * (n + 1) // steps from the turn, more than there are
	for i := range u.signals {
		wanted := u.wanted[i]
		if wanted == 0 {
			continue
		}
		// A scheduler that has had its turn in this row comes to the row's slot last.
		from := slot
		if i < scheduler {
			from++
		}
		row := from - slot + bits.TrailingZeros64(bits.RotateLeft64(wanted, -from))
		best = min(best, row*n+i-scheduler)
	}
	if best == warps.PerScheduler*(n+1) {
		return false
	}
	at := (u.turn + best) % (warps.PerScheduler * n)
	u.turn = (at + 1) % (warps.PerScheduler * n)
	u.serve(at%n, at/n, cycle)
	return true
}
