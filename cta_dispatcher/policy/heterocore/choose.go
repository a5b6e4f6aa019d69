package heterocore

import (
	"slices"

	"cotenant/cta_dispatcher/policy"
	"cotenant/tenant"
)

// CTAs are the thread blocks of a kernel that run at once on one SM of the conventional GPU,
// on a big SM and on a small one.
type CTAs struct{ Base, Big, Small int }

// SMs are numbers of SMs of each kind.
type SMs struct{ Big, Small int }

// Kernel holds a kernel's IPCs on equally many big, small and conventional SMs, in any one
// unit: only their ratios count.
type Kernel struct{ Big, Small, Base float64 }

// Limit cuts CTAs to the thread blocks that are left for each SM, given the SMs of each kind.
// A conventional SM counts as half of a big and half of a small one. With no thread blocks
// left there is no limit.
func (c CTAs) Limit(left int, sms SMs) CTAs {
	if left == 0 {
		return c
	}
	least := func(n, sms int) int { return min(n, (left+sms-1)/max(sms, 1)) }
	return CTAs{least(c.Base, (sms.Big+sms.Small+1)/2), least(c.Big, sms.Big), least(c.Small, sms.Small)}
}

// EstimateBase estimates a kernel's IPC on SMs of the conventional GPU from its IPCs on
// equally many big and small ones, along a straight line over the number of thread blocks
// (HeteroCore 4.3, Algorithm 2). If both kinds run equally many, it is the IPC on the big
// ones.
func EstimateBase(big, small float64, c CTAs) float64 {
	if c.Big == c.Small {
		return big
	}
	scaled := float64(c.Base-c.Small) / float64(c.Big-c.Small)
	return scaled*(big-small) + small
}

// parts calls yield for each kernel, in the order of arrival, with its number of SMs of one
// kind: kernels in big share the big SMs, the rest the small ones.
func parts(big []bool, sms SMs, yield func(k, n int)) {
	var of, at [2]int
	for _, b := range big {
		of[index(b)]++
	}
	for k, b := range big {
		i := index(b)
		yield(k, tenant.Share([2]int{sms.Small, sms.Big}[i], of[i], at[i]))
		at[i]++
	}
}

func index(b bool) int {
	if b {
		return 1
	}
	return 0
}

// STP is the predicted system throughput if the kernels in big share the big SMs and the rest
// the small ones: the sum of their IPCs over the IPCs on the conventional GPU, each scaled
// from an even part of all SMs to the kernel's number (HeteroCore Algorithms 1 and 2; 6.4).
func STP(kernels []Kernel, big []bool, sms SMs) (sum float64) {
	share := float64(sms.Big+sms.Small) / float64(len(kernels))
	parts(big, sms, func(k, n int) {
		ipc := kernels[k].Small
		if big[k] {
			ipc = kernels[k].Big
		}
		sum += ipc * (float64(n) / share) / kernels[k].Base
	})
	return sum
}

// favoursBig reports whether a kernel is faster on all big SMs than on all small ones,
// by more than the margin.
func (k *Kernel) favoursBig(sms SMs, margin float64) bool {
	return k.Big*float64(sms.Big) > (1+margin)*k.Small*float64(sms.Small)
}

// measured reports whether there is an IPC to compare with.
func measured(kernels []Kernel) bool {
	return !slices.ContainsFunc(kernels, func(k Kernel) bool { return k.Base <= 0 })
}

// HigherSTP is Algorithm 1 for two kernels: it gives all big SMs to the first if that raises
// STP, else to the second.
func HigherSTP(kernels []Kernel, sms SMs) (big []bool) {
	first, second := []bool{true, false}, []bool{false, true}
	if STP(kernels, first, sms) > STP(kernels, second, sms) {
		return first
	}
	return second
}

// ChooseTwo is Algorithm 2 of two kernels, in the order of arrival: which of them gets
// all big SMs, while the other gets the small ones; nil: each keeps half of each kind,
// as both are faster on big ones. It reports false, and nil, if a kernel has no IPC.
func ChooseTwo(kernels []Kernel, sms SMs, margin float64) (big []bool, ok bool) {
	if !measured(kernels) {
		return nil, false
	}
	if kernels[0].favoursBig(sms, margin) && kernels[1].favoursBig(sms, margin) {
		return nil, true
	}
	return HigherSTP(kernels, sms), true
}

// ChooseMany gives each of several kernels, in the order of arrival, SMs of one kind with the
// highest STP (HeteroCore 6.4), and returns the kernels that share the big ones. If the number
// of kernels divides both kinds of SM, half of them do. may says whether a kernel can run on
// big SMs, or on small ones; each kernel gets SMs that it can run on. Among equal sums the
// division with the earliest arrivals on the big SMs counts. It returns nil if there is no
// such division, and reports false if a kernel has no IPC.
func ChooseMany(kernels []Kernel, sms SMs, may func(k int, big bool) bool) (best []bool, ok bool) {
	if !measured(kernels) {
		return nil, false
	}
	highest := 0.0
	for big := range divisions(len(kernels), sms) {
		fits := true
		parts(big, sms, func(k, n int) { fits = fits && n > 0 && may(k, big[k]) })
		if !fits {
			continue
		}
		if sum := STP(kernels, big, sms); best == nil || sum > highest {
			best, highest = append(best[:0], big...), sum
		}
	}
	return best, true
}

// divisions yields the divisions of n kernels into some on big SMs and some on small ones, the
// earliest arrivals on the big SMs first.
func divisions(n int, sms SMs) func(yield func(big []bool) bool) {
	equal := n%2 == 0 && sms.Big%n == 0 && sms.Small%n == 0
	return func(yield func([]bool) bool) {
		big := make([]bool, n)
		for bits := 1<<n - 2; bits > 0; bits-- {
			of := 0
			for k := range big {
				big[k] = bits>>(n-1-k)&1 == 1
				of += index(big[k])
			}
			if (!equal || 2*of == n) && !yield(big) {
				return
			}
		}
	}
}

// Adaptive is the mechanism to empty a kernel's SMs: draining if a thread block of it
// finished in its warm-up, else a context switch (HeteroCore 3.3).
func Adaptive(finished bool) policy.Mechanism {
	if finished {
		return policy.Drain
	}
	return policy.Switch
}
