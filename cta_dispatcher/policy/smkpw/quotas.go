package smkpw

// Profile determines a kernel's quota.
type Profile struct {
	WIPC     float64 // x: warp instructions per cycle and scheduler, alone on an SM
	Isolated float64 // T: its TBs on an SM of its own, or the mean of several SMs
	Shared   int     // S: its TBs on the SM that it shares
}

// Quotas divides a scheduler's instructions between kernels in proportion to C = x * S/T (SMK
// 5.4), rounded down. A kernel with thread blocks gets at least one: with none it would stop
// for good. Quotas fills quotas by kernel.
func Quotas(instructions int, kernels []Profile, quotas []int) {
	sum := 0.0
	for _, k := range kernels {
		sum += k.cycles()
	}
	for i, k := range kernels {
		quotas[i] = 0
		if k.Shared > 0 {
			quotas[i] = max(1, int(k.cycles()/sum*float64(instructions)))
		}
	}
}

// cycles is C, the part of the cycles that the kernel would use.
func (k *Profile) cycles() float64 {
	if k.Shared == 0 {
		return 0
	}
	return k.WIPC * float64(k.Shared) / k.Isolated
}
