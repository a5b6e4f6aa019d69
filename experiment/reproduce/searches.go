package reproduce

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"cotenant/components/occupancy"
	dispatcher "cotenant/cta_dispatcher"
	"cotenant/experiment/oracle"
	"cotenant/experiment/workloads"
	"cotenant/workload"
	"cotenant/workload/source"
)

// demandOf is the demand of an application's thread block on an SM of a capacity: the demand
// of the kernel with the fewest thread blocks there.
func demandOf(c *occupancy.Capacity, spec string) (fewest occupancy.Demand, err error) {
	kernels, err := kernelsOf(spec)
	if err != nil {
		return fewest, err
	}
	// The program chooses its launches after the first, so only a run tells: the kept run
	// has the same thread blocks.
	kernels = kernels[:1:1]
	name, _, _ := strings.Cut(spec, "?")
	kept, err := keptSmall()
	if err != nil {
		return fewest, err
	}
	for _, a := range kept.Apps {
		for i := range a.Kernels {
			if other := &a.Kernels[i]; a.Name == name && other.Name != kernels[0].Name {
				kernels = append(kernels, other.Shape())
			}
		}
	}
	return dispatcher.DemandOf(slices.MinFunc(kernels, func(a, b *workload.Kernel) int {
		of, _ := c.Occupancy(dispatcher.DemandOf(a))
		others, _ := c.Occupancy(dispatcher.DemandOf(b))
		return of - others
	})), nil
}

// kernelsOf are the launches of an application that are known before it runs, without their
// instructions. They are kept: to open an application takes a while.
func kernelsOf(spec string) (kernels []*workload.Kernel, err error) {
	if known, ok := knownKernels.Load(spec); ok {
		return known.([]*workload.Kernel), nil
	}
	app, err := source.Open(spec, source.Options{})
	if err != nil {
		return nil, err
	}
	for _, k := range app.Kernels() {
		shape := *k
		shape.Source = nil
		kernels = append(kernels, &shape)
	}
	knownKernels.Store(spec, kernels)
	return kernels, nil
}

var knownKernels sync.Map // by application

var keptSmall = sync.OnceValues(func() (*workloads.Data, error) { return workloads.Kept("small") })

// room is where a mix is: the capacity of an SM, the number of SMs, and what a thread
// block of each kernel takes.
type room struct {
	capacity occupancy.Capacity
	sms      int
	demands  []occupancy.Demand
}

func init() {
	searches["full SMs"] = fullSMs
	searches["shared SMs"] = sharedSMs
	searches["thread blocks on even parts"] = spatialOracle
	measures["thread blocks, best HSpeedup"] = &metric{best: "HSpeedup", of: threadBlocks}
	measures["thread blocks, best WSpeedup"] = &metric{best: "WSpeedup", of: threadBlocks}
}

// threadBlocks counts an application's thread blocks on an SM under the policy fixed.
func threadBlocks(p *point) float64 { return combination(p.run.Policy)[p.tenant()] }

// combination is the thread blocks of the policy fixed.
func combination(policy string) (tbs []float64) {
	_, options, _ := strings.Cut(policy, "tbs=")
	list, _, _ := strings.Cut(options, ",")
	for word := range strings.SplitSeq(list, "/") {
		n, err := strconv.Atoi(word)
		if err != nil {
			return nil
		}
		tbs = append(tbs, float64(n))
	}
	return tbs
}

// room makes the room of a mix by a way, on a GPU with SMs of one kind; nil after an error,
// which is kept.
func (d *evaluation) room(w *way, m *mix) *room {
	machine, specs := d.figure.machineOf(d.Scale, w), d.figure.specs(d.Scale, w, m)
	gpu := d.gpu(machine)
	if gpu == nil {
		return nil
	}
	k := keyText(machine, "", specs)
	if known := d.rooms[k]; known != nil {
		return known
	}
	r := &room{capacity: gpu.SM.Capacity(), sms: gpu.SMs.Count()}
	for _, spec := range specs {
		demand, err := demandOf(&r.capacity, spec)
		if err != nil {
			d.fail(err)
			return nil
		}
		r.demands = append(r.demands, demand)
	}
	d.rooms[k] = r
	return r
}

// fullSMs lists the combinations of thread blocks to which none can be added.
func fullSMs(d *evaluation, w *way, m *mix, _ string) (policies []string) {
	r := d.room(w, m)
	if r == nil {
		return nil
	}
	front := oracle.Front(&r.capacity, r.demands)
	if front == nil {
		d.fail(fmt.Errorf("%s: a thread block of each does not fit on an SM", title(m.apps)))
	}
	for _, tbs := range front {
		policies = append(policies, oracle.Policy(tbs, nil))
	}
	return policies
}

// sharedSMs lists the combinations of thread blocks on an SM; at the quick scale the full ones
// only.
func sharedSMs(d *evaluation, w *way, m *mix, _ string) (policies []string) {
	if d.Scale.Quick {
		return fullSMs(d, w, m, "")
	}
	r := d.room(w, m)
	if r == nil {
		return nil
	}
	for _, tbs := range oracle.Combinations(&r.capacity, r.demands) {
		policies = append(policies, oracle.Policy(tbs, nil))
	}
	return policies
}

// errAsked ends a search that has to wait for runs.
var errAsked = errors.New("not run yet")

// spatialOracle lists the numbers of thread blocks that a search of the spatial oracle
// tries, each kernel on an even part of the SMs: the numbers tried so far and, where the
// search waits for results, the next ones. The quick scale tries quarters of the most.
func spatialOracle(d *evaluation, w *way, m *mix, best string) (policies []string) {
	in := d.room(w, m)
	if in == nil {
		return nil
	}
	var all, most, sizes []int
	for _, demand := range in.demands {
		n, _ := in.capacity.Occupancy(demand)
		steps := n
		if d.Scale.Quick {
			steps = min(n, 4)
		}
		all, most, sizes = append(all, n), append(most, steps), append(sizes, in.sms/len(m.apps))
	}
	gpu := d.figure.machineOf(d.Scale, w)
	var waiting [][]int
	_, _, _ = oracle.Ascend(most, func(steps []int) (float64, error) {
		tbs := make([]int, len(steps))
		for k := range steps {
			tbs[k] = (all[k]*steps[k] + most[k] - 1) / most[k]
		}
		policy := oracle.Policy(tbs, sizes)
		if r := d.results[keyOf(d.figure.run(d.Scale, gpu, policy, w, m))]; r != nil {
			policies = append(policies, policy)
			return d.good(r, m, best), nil
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
