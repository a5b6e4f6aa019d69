package profile

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"cotenant/workload"
)

// Limits that keep a hostile file from taking memory or time without bound;
// the fields of Spec state them.
const (
	maxTBs          = math.MaxInt32
	maxKernels      = 64
	maxLaunches     = 10_000
	maxThreads      = 1024
	maxPerThread    = workload.NoReg
	maxShared       = 1 << 20
	maxInstructions = 10_000_000
	maxPhases       = 16
	maxBody         = 1024
	maxFootprint    = Bytes(64 << 30)
	maxWindow       = 1_000_000
	sumTolerance    = 0.001
	lineBytes       = 128
)

// SetDefaults sets the fields that have a default other than zero.
func (k *Kernel) SetDefaults() { k.Launches = 1 }

// SetDefaults sets every field to its default.
func (p *Phase) SetDefaults() {
	*p = Phase{Share: 1, Body: 256, Distance: 4, LoadDistance: 8, SplitActive: 0.5, SharedConflict: 1}
}

// SetDefaults sets every field to its default.
func (a *Access) SetDefaults() {
	*a = Access{Pattern: "stream", Lines: 1, Footprint: 64 << 20, WarpWindow: 4, TBWindow: 1, GridSet: 512 << 10}
}

// fieldError is a value out of its limits.
type fieldError struct{ path, msg string }

func (e *fieldError) Error() string { return e.path + " " + e.msg }

// checker keeps the first fault it meets.
type checker struct{ err *fieldError }

func (c *checker) fail(path, format string, args ...any) {
	if c.err == nil {
		c.err = &fieldError{path, fmt.Sprintf(format, args...)}
	}
}

func (c *checker) whole(path string, v, low, high int) {
	if v < low || v > high {
		c.fail(path, "is %d; valid: %d to %d", v, low, high)
	}
}

// real rejects NaN too, which compares false with everything.
func (c *checker) real(path string, v, low, high float64) {
	if !(v >= low && v <= high) {
		c.fail(path, "is %v; valid: %v to %v", v, low, high)
	}
}

func (c *checker) sumsToOne(path string, sum float64) {
	if !(math.Abs(sum-1) <= sumTolerance) {
		c.fail(path, "sums to %.4g; valid: 1 within %v", sum, sumTolerance)
	}
}

func (c *checker) size(path string, v, low, high Bytes) {
	if v < low || v > high {
		c.fail(path, "is %v; valid: %v to %v", v, low, high)
	}
}

// Validate reports the first value out of its limits, by the path of its field
// and with what would be valid.
func (s *Spec) Validate() error {
	c := &checker{}
	if s.Name == "" {
		c.fail("name", "is missing; give the application a name")
	}
	if len(s.Kernels) < 1 || len(s.Kernels) > maxKernels {
		c.fail("kernels", "has %d entries; valid: 1 to %d", len(s.Kernels), maxKernels)
	}
	names := map[string]bool{}
	for i := range s.Kernels {
		k, path := &s.Kernels[i], fmt.Sprintf("kernels[%d]", i)
		if k.Name == "" {
			c.fail(path+".name", "is missing; give the kernel a name")
		} else if names[k.Name] {
			c.fail(path+".name", "is %q, the name of an earlier kernel; valid: a name of its own", k.Name)
		}
		names[k.Name] = true
		c.kernel(k, path)
	}
	if c.err != nil {
		return c.err
	}
	return nil
}

func (c *checker) kernel(k *Kernel, path string) {
	c.whole(path+".tbs", k.TBs, 1, maxTBs)
	c.whole(path+".launches", k.Launches, 1, maxLaunches)
	if len(k.Demands) == 0 {
		c.fail(path+".demands", "is missing; give the threads, registers and shared memory of a TB")
	}
	archs := map[string]bool{}
	for i := range k.Demands {
		d, path := &k.Demands[i], fmt.Sprintf("%s.demands[%d]", path, i)
		if d.Arch == "" && len(k.Demands) > 1 {
			c.fail(path+".arch", "is missing; several demands are told apart by it")
		} else if archs[d.Arch] {
			c.fail(path+".arch", "is %q, as in an earlier entry; valid: one entry per architecture", d.Arch)
		}
		archs[d.Arch] = true
		c.demand(d, path)
	}
	c.whole(path+".instructions", k.Instructions, 1, maxInstructions)
	if !(k.Spread >= 0 && k.Spread < 1) {
		c.fail(path+".spread", "is %v; valid: 0 to below 1", k.Spread)
	}
	if len(k.Phases) < 1 || len(k.Phases) > maxPhases {
		c.fail(path+".phases", "has %d entries; valid: 1 to %d", len(k.Phases), maxPhases)
	}
	shares := 0.0
	for i := range k.Phases {
		c.phase(&k.Phases[i], k, fmt.Sprintf("%s.phases[%d]", path, i))
		shares += k.Phases[i].Share
	}
	c.sumsToOne(path+".phases", shares)
}

func (c *checker) demand(d *Demand, path string) {
	c.whole(path+".threads", d.Threads, 1, maxThreads)
	switch {
	case d.RegistersPerThread != 0 && d.RegistersPerTB != 0:
		c.fail(path+".registers_per_tb", "is given beside registers_per_thread; valid: one of the two")
	case d.RegistersPerTB != 0:
		c.whole(path+".registers_per_tb", d.RegistersPerTB, d.Threads, maxPerThread*d.Threads)
	default:
		c.whole(path+".registers_per_thread", d.RegistersPerThread, 1, maxPerThread)
	}
	c.whole(path+".shared_bytes_per_tb", d.SharedBytesPerTB, 0, maxShared)
}

func (c *checker) phase(p *Phase, k *Kernel, path string) {
	if !(p.Share > 0 && p.Share <= 1) {
		c.fail(path+".share", "is %v; valid: above 0, to 1", p.Share)
	}
	fractions := p.Mix.fractions()
	sum := 0.0
	for op, v := range fractions {
		c.real(path+".mix."+mixKeys[op], v, 0, 1)
		sum += v
	}
	c.sumsToOne(path+".mix", sum)
	c.whole(path+".body", p.Body, 1, maxBody)
	c.real(path+".distance", p.Distance, 1, 64)
	c.real(path+".load_distance", p.LoadDistance, 1, 256)
	if p.BarrierEvery != 0 && (p.BarrierEvery < 2 || p.BarrierEvery > maxInstructions) {
		c.fail(path+".barrier_every", "is %d; valid: 0 for none, or 2 to %d", p.BarrierEvery, maxInstructions)
	}
	c.real(path+".split_probability", p.SplitProbability, 0, 1)
	if !(p.SplitActive > 0 && p.SplitActive <= 1) {
		c.fail(path+".split_active", "is %v; valid: above 0, to 1", p.SplitActive)
	}
	c.real(path+".shared_conflict", p.SharedConflict, 1, 32)
	c.shared(p, k, path)
	for i, a := range []*Access{p.Load, p.Gather, p.Store, p.Atomic} {
		if a != nil {
			c.access(a, path+"."+slotKeys[i])
		}
	}
}

// shared checks that every demand has the shared memory that the phase uses: a
// conflict of degree n needs n words in one bank.
func (c *checker) shared(p *Phase, k *Kernel, path string) {
	m := &p.Mix
	if m.SharedLoad+m.SharedStore+m.SharedAtomic == 0 || c.err != nil {
		return
	}
	need := 4
	if p.SharedConflict > 1 {
		need = lineBytes * ceilPower(p.SharedConflict)
	}
	for i, d := range k.Demands {
		if d.SharedBytesPerTB < need {
			c.fail(path+".mix", "has shared accesses with conflict %v, which need %d bytes, and demands[%d].shared_bytes_per_tb is %d; valid: more shared memory or less conflict",
				p.SharedConflict, need, i, d.SharedBytesPerTB)
		}
	}
}

func (c *checker) access(a *Access, path string) {
	if !slices.Contains(patternNames[:], a.Pattern) {
		c.fail(path+".pattern", "is %q; valid: %s", a.Pattern, strings.Join(patternNames[:], ", "))
	}
	c.real(path+".lines", a.Lines, 1, 32)
	if c.err != nil {
		return
	}
	c.size(path+".footprint", a.Footprint, lineBytes*Bytes(math.Ceil(a.Lines)), maxFootprint)
	c.real(path+".warp_reuse", a.WarpReuse, 0, 1)
	c.whole(path+".warp_window", a.WarpWindow, 1, maxWindow)
	c.real(path+".tb_reuse", a.TBReuse, 0, 1)
	c.whole(path+".tb_window", a.TBWindow, 1, maxWindow)
	c.real(path+".grid_reuse", a.GridReuse, 0, 1)
	if sum := a.WarpReuse + a.TBReuse + a.GridReuse; sum > 1+sumTolerance {
		c.fail(path, "has warp_reuse, tb_reuse and grid_reuse that sum to %.4g; valid: at most 1", sum)
	}
	largest := maxFootprint
	if a.GridReuse > 0 {
		largest = a.Footprint
	}
	c.size(path+".grid_set", a.GridSet, lineBytes*Bytes(math.Ceil(a.Lines)), largest)
}

// ceilPower is the smallest power of two that is not less than v, for v from 1
// to 32.
func ceilPower(v float64) int {
	p := 1
	for float64(p) < v {
		p *= 2
	}
	return p
}
