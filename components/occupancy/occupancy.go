// Package occupancy accounts for the resources that thread blocks take of an SM. The
// SM, the SM driver and the policies keep the same account.
package occupancy

import "fmt"

// Demand is the resources that one thread block takes of an SM, or several in sum.
type Demand struct {
	TBs         int
	Threads     int
	Warps       int
	Registers   int // 32-bit registers
	SharedBytes int
}

// Add returns the sum of two demands.
func (d Demand) Add(o Demand) Demand { return d.plus(o, 1) }

// Sub returns the difference of two demands.
func (d Demand) Sub(o Demand) Demand { return d.plus(o, -1) }

// Times returns n times the demand.
func (d Demand) Times(n int) Demand { return Demand{}.plus(d, n) }

func (d Demand) plus(o Demand, n int) Demand {
	return Demand{d.TBs + n*o.TBs, d.Threads + n*o.Threads, d.Warps + n*o.Warps,
		d.Registers + n*o.Registers, d.SharedBytes + n*o.SharedBytes}
}

// Capacity is the resources of an SM. Threads and registers are counted one by one,
// like the published occupancies (SMK Table 2, thesis Table 5.2); a part-filled
// warp still takes a whole warp slot.
type Capacity struct {
	TBs       int // TB slots
	Threads   int
	Warps     int // warp slots
	Registers int // 32-bit registers
	// SharedOptions are the sizes to which shared memory can be set, in bytes, ascending;
	// one entry if it is fixed. An SM takes the smallest size that launches its largest
	// thread block (thesis 5.3.1).
	SharedOptions []int
}

// sharedFor is the size of shared memory that an SM takes for its largest thread
// block's demand in bytes, or 0 if no size launches it.
func (c *Capacity) sharedFor(bytes int) int {
	for _, option := range c.SharedOptions {
		if option >= bytes {
			return option
		}
	}
	return 0
}

// Occupancy is the number of TBs of one kind on an empty SM, and the resource that
// stops the next one.
func (c *Capacity) Occupancy(d Demand) (tbs int, limiting string) {
	tbs, limiting = c.TBs, "thread block slots"
	for _, r := range []resource{
		{"threads", c.Threads, d.Threads},
		{"warp slots", c.Warps, d.Warps},
		{"registers", c.Registers, d.Registers},
		{"shared memory", c.sharedFor(d.SharedBytes), d.SharedBytes},
	} {
		if r.take > 0 && r.has/r.take < tbs {
			tbs, limiting = r.has/r.take, r.name
		}
	}
	return tbs, limiting
}

// Check returns an error that names the exceeded resource if not even one TB fits on
// an empty SM.
func (c *Capacity) Check(d Demand) error {
	for _, r := range c.against(d) {
		if r.take > r.has {
			return fmt.Errorf("a thread block takes %d %s, an SM has %d", r.take, r.name, r.has)
		}
	}
	return nil
}

// Excess is the largest ratio of a TB's demand to an empty SM's capacity, above 1 if
// the TB does not fit.
func (c *Capacity) Excess(d Demand) (ratio float64) {
	for _, r := range c.against(d) {
		if r.take > 0 {
			ratio = max(ratio, float64(r.take)/float64(r.has))
		}
	}
	return ratio
}

type resource struct {
	name      string
	has, take int
}

// against pairs a TB's demand with an empty SM's capacity, by resource.
func (c *Capacity) against(d Demand) [4]resource {
	largest := 0
	if n := len(c.SharedOptions); n > 0 {
		largest = c.SharedOptions[n-1]
	}
	return [...]resource{{"threads", c.Threads, d.Threads}, {"registers", c.Registers, d.Registers},
		{"bytes of shared memory", largest, d.SharedBytes}, {"warp slots", c.Warps, d.Warps}}
}

// Usage is the taken part of an SM.
type Usage struct {
	Demand
	// largestShared is the largest demand for shared memory of one TB since the SM was
	// last empty; the size of shared memory follows from it.
	largestShared int
}

// Fits reports whether one more TB fits.
func (c *Capacity) Fits(u *Usage, d Demand) bool {
	sum := u.Add(d)
	return sum.TBs <= c.TBs && sum.Threads <= c.Threads && sum.Warps <= c.Warps &&
		sum.Registers <= c.Registers && sum.SharedBytes <= c.sharedFor(max(u.largestShared, d.SharedBytes))
}

// Take adds a TB.
func (u *Usage) Take(d Demand) {
	u.Demand = u.Add(d)
	u.largestShared = max(u.largestShared, d.SharedBytes)
}

// Release removes a TB.
func (u *Usage) Release(d Demand) {
	u.Demand = u.Sub(d)
	if u.TBs == 0 {
		u.largestShared = 0
	}
}
