package reproduce

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"cotenant/components/occupancy"
	dispatcher "cotenant/cta_dispatcher"
	"cotenant/experiment/oracle"
	"cotenant/experiment/workloads"
	"cotenant/workload/source"
)

// demandOf is what a thread block of an application takes on an SM of a capacity: of one
// with several kernels that of the kernel of which fewest fit.
func demandOf(c *occupancy.Capacity, spec string) (fewest occupancy.Demand, err error) {
	demands, err := demandsOf(spec)
	if err != nil {
		return fewest, err
	}
	return slices.MinFunc(demands, func(a, b occupancy.Demand) int {
		of, _ := c.Occupancy(a)
		others, _ := c.Occupancy(b)
		return of - others
	}), nil
}

// demandsOf are what thread blocks of an application's kernels take. What is known is
// kept: to open an application takes a while.
func demandsOf(spec string) (demands []occupancy.Demand, err error) {
	if known, ok := knownDemands.Load(spec); ok {
		return known.([]occupancy.Demand), nil
	}
	opened, err := source.Open(spec, source.Options{})
	if err != nil {
		return nil, err
	}
	first := opened.Kernels()[0]
	demands = append(demands, dispatcher.DemandOf(first))
	// The program decides what it launches after the first, so that only a run tells:
	// the one that was kept has the same thread blocks.
	name, _, _ := strings.Cut(spec, "?")
	kept, err := keptSmall()
	if err != nil {
		return nil, err
	}
	for _, a := range kept.Apps {
		for i := range a.Kernels {
			if other := &a.Kernels[i]; a.Name == name && other.Name != first.Name {
				demands = append(demands, dispatcher.DemandOf(other.Shape()))
			}
		}
	}
	knownDemands.Store(spec, demands)
	return demands, nil
}

var knownDemands sync.Map // by application

var keptSmall = sync.OnceValues(func() (*workloads.Data, error) { return workloads.Kept("small") })

// room is where a mix is: the capacity of an SM, the number of SMs, and what a thread
// block of each kernel takes.
type room struct {
	capacity occupancy.Capacity
	sms      int
	demands  []occupancy.Demand
}

var knownRooms sync.Map // by GPU and applications

// room makes the room of a mix of the CCBP paper's kernels on the scale's GPU.
func (d *Data) room(mix []string) (*room, error) {
	return d.roomOf(d.Scale.GPU, ccbpSpecs(d.Scale, mix))
}

// roomOf makes the room of applications on a GPU whose SMs are of one kind.
func (d *Data) roomOf(machine string, specs []string) (*room, error) {
	keyText := keyText(machine, "", specs)
	if known, ok := knownRooms.Load(keyText); ok {
		return known.(*room), nil
	}
	gpu, err := d.GPU(machine)
	if err != nil {
		return nil, err
	}
	r := &room{capacity: gpu.SM.Capacity(), sms: gpu.SMs.Count()}
	for _, spec := range specs {
		demand, err := demandOf(&r.capacity, spec)
		if err != nil {
			return nil, err
		}
		r.demands = append(r.demands, demand)
	}
	knownRooms.Store(keyText, r)
	return r, nil
}

// fit returns the error of the first mix that cannot be on an SM.
func (d *Data) fit(mixes [][]string) error {
	for _, mix := range mixes {
		r, err := d.room(mix)
		if err != nil {
			return err
		}
		if oracle.Front(&r.capacity, r.demands) == nil {
			return fmt.Errorf("%s: a thread block of each does not fit on an SM", title(mix))
		}
	}
	return nil
}

// ctaOracle lists the combinations of thread blocks to which none can be added; none if
// there is no room.
func (d *Data) ctaOracle(mix []string, _ speedup) (policies []string) {
	r, err := d.room(mix)
	if err != nil {
		return nil
	}
	for _, tbs := range oracle.Front(&r.capacity, r.demands) {
		policies = append(policies, oracle.Policy(tbs, nil))
	}
	return policies
}

// errAsked ends a search that has to wait for runs.
var errAsked = errors.New("not run yet")

// spatialOracle lists the numbers of thread blocks that a search of the spatial oracle
// tries, each kernel on an even part of the SMs: those that it has looked at and, where
// it cannot go on, the next ones. The quick scale tries quarters of what fits.
func (d *Data) spatialOracle(mix []string, m speedup) (policies []string) {
	in, err := d.room(mix)
	if err != nil {
		return nil
	}
	var all, most, sizes []int
	for _, demand := range in.demands {
		n, _ := in.capacity.Occupancy(demand)
		steps := n
		if d.Scale.Quick {
			steps = min(n, 4)
		}
		all, most, sizes = append(all, n), append(most, steps), append(sizes, in.sms/len(mix))
	}
	var waiting [][]int
	_, _, _ = oracle.Ascend(most, func(steps []int) (float64, error) {
		tbs := make([]int, len(steps))
		for k := range steps {
			tbs[k] = (all[k]*steps[k] + most[k] - 1) / most[k]
		}
		policy := oracle.Policy(tbs, sizes)
		if r := d.known(d.Scale.GPU, policy, ccbpSpecs(d.Scale, mix)); r != nil {
			policies = append(policies, policy)
			return m.of(d.normalized(r, mix)), nil
		}
		// All numbers of one kernel are asked for at a time.
		if len(waiting) > 0 && !inLine(append(slices.Clone(waiting), steps)) {
			return 0, errAsked
		}
		waiting = append(waiting, slices.Clone(steps))
		policies = append(policies, policy)
		return math.Inf(-1), nil
	})
	return policies
}

// inLine reports whether lists differ in one place at most, the same for all.
func inLine(lists [][]int) bool {
	at := -1
	for _, list := range lists[1:] {
		for i := range list {
			if list[i] == lists[0][i] {
				continue
			}
			if at >= 0 && at != i {
				return false
			}
			at = i
		}
	}
	return true
}
