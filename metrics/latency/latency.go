// Package latency counts how long memory requests take, by stage and tenant, in histograms.
package latency

import (
	"math/bits"

	"cotenant/components"
	"cotenant/tenant"
)

// Stage is a part of a request's way.
type Stage uint8

// The stages.
const (
	LoadToUse   Stage = iota // from the issue of a load of cached memory until a dependent instruction can issue
	Request                  // from the miss in the SM to the L2 slice
	L2Queue                  // from there to the look-up
	DRAMQueue                // of a read, from the controller to its first column command
	DRAMService              // from there to the last data
	Reply                    // from the L2 slice to the SM
	NumStages
)

var names = [NumStages]string{"load_to_use", "request", "l2_queue", "dram_queue", "dram_service", "reply"}

// String is the stage's name in results.
func (s Stage) String() string { return names[s] }

// Buckets is the number of buckets of a histogram: 0, 1, 2 and 3 core cycles, then four for
// each power of two.
const Buckets = 4 * 39

// Histogram counts times in core cycles.
type Histogram struct {
	Count, Sum, Max uint64
	Counts          [Buckets]uint64
}

// Bucket is the bucket of a number of cycles.
func Bucket(cycles uint64) int {
	if cycles < 4 {
		return int(cycles)
	}
	shift := bits.Len64(cycles) - 3
	return min(4*(shift+1)+int(cycles>>shift&3), Buckets-1)
}

// From is the fewest cycles of a bucket.
func From(bucket int) uint64 {
	if bucket < 4 {
		return uint64(bucket)
	}
	return uint64(4+bucket%4) << (bucket/4 - 1)
}

// add counts a time.
func (h *Histogram) add(cycles uint64) {
	h.Count++
	h.Sum += cycles
	h.Max = max(h.Max, cycles)
	h.Counts[Bucket(cycles)]++
}

// Quantile is a number of cycles that at least the part q of all times are not above: the last
// of its bucket, which is up to a fourth too many. It is 0 without times.
func (h *Histogram) Quantile(q float64) uint64 {
	need, seen := q*float64(h.Count), uint64(0)
	for b, n := range h.Counts {
		if seen += n; n > 0 && float64(seen) >= need {
			return min(h.Max, From(b+1)-1)
		}
	}
	return 0
}

// Recorder takes the times of a GPU.
type Recorder struct {
	// Core and L2 are the periods of the clocks in which protocol.Packet.Sent counts.
	Core, L2   components.Time
	histograms [tenant.Max][NumStages]Histogram
}

// Add counts a time of a tenant's request.
func (r *Recorder) Add(s Stage, t tenant.ID, time components.Time) {
	r.histograms[t][s].add(uint64(time / r.Core))
}

// Of are a tenant's times in a stage.
func (r *Recorder) Of(t tenant.ID, s Stage) *Histogram { return &r.histograms[t][s] }

// Reset forgets the times so far.
func (r *Recorder) Reset() { r.histograms = [tenant.Max][NumStages]Histogram{} }
