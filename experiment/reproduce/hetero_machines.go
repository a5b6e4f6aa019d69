package reproduce

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"

	"cotenant/experiment/sweep"
)

// hetero8b8s is the machine of the HeteroCore experiments.
const hetero8b8s = "heterocore-8b8s"

const (
	heteroNotes = "Normalised IPC is over the IPC alone on the conventional GPU, all 16 SMs of fermi16. What is improved on is that GPU with eight SMs for each kernel. Of STP it is STP over that, less 1; of ANTT 1 less ANTT over that: above 0 is better. Means are arithmetic over pairs. Windows are 10M cycles as the paper's, 1M with --quick."
	// heteroPairNotes say which pairs there are.
	heteroPairNotes = " --quick has 22 of the 66 pairs: 12 of 36 heterogeneous ones, and 5 of 15 of two lean and of two thick kernels. The paper does not say in which order applications come; here the thick one of two is first."
)

// heteroCycles is the window of the HeteroCore experiments (5).
func heteroCycles(s Scale) uint64 {
	if s.Quick {
		return 1_000_000
	}
	return 10_000_000
}

// conventional is the machine that is compared with, 16 SMs of the base kind.
func conventional(s Scale) string {
	if s.GPU == hetero8b8s {
		return "fermi16"
	}
	return with(s.GPU, "sms=16")
}

// conventionalWith is that machine with an option.
func conventionalWith(option string) func(Scale) string {
	return func(s Scale) string { return with(conventional(s), option) }
}

// heteroRun is a run of applications of Table 3. Those of a mix are compared with
// themselves alone on the conventional GPU.
func heteroRun(s Scale, gpu, policy string, mix []string) sweep.Run {
	r := sweep.Run{GPU: gpu, Policy: policy, Apps: heteroSpecs(s, mix), Window: sweep.Window{Cycles: heteroCycles(s)}, Seed: 1}
	if base := conventional(s); len(mix) > 1 && gpu != base {
		r.IsolatedGPU = base
	}
	return r
}

// heteroRuns lists the runs of mixes, but for those that are searched for.
func heteroRuns(s Scale, mixes [][]string, ways ...oldWay) (runs []sweep.Run) {
	for _, w := range ways {
		for _, mix := range mixes {
			if w.tried == nil {
				runs = append(runs, heteroRun(s, w.machine(s), w.policy(s), mix))
			}
		}
	}
	return runs
}

// heteroSearched lists the runs that are asked for now.
func (d *Data) heteroSearched(mixes [][]string, ways ...oldWay) (runs []sweep.Run) {
	for _, w := range ways {
		for _, mix := range mixes {
			if w.tried == nil {
				continue
			}
			for _, policy := range w.tried(d, mix, speedup{}) {
				runs = append(runs, heteroRun(d.Scale, w.machine(d.Scale), policy, mix))
			}
		}
	}
	return runs
}

// singles lists runs of each application alone.
func singles(s Scale, gpu, policy string, names []string) (runs []sweep.Run) {
	for _, name := range names {
		runs = append(runs, heteroRun(s, gpu, policy, []string{name}))
	}
	return runs
}

// ipcAlone is the IPC of an application alone, false before it is known.
func (d *Data) ipcAlone(gpu, policy, name string) (float64, bool) {
	r := d.known(gpu, policy, heteroSpecs(d.Scale, []string{name}))
	if r == nil {
		return math.NaN(), false
	}
	return r.Kernels[0].IPC, true
}

// fleet is how many SMs of each of two kinds a GPU has, in the order of its kinds, and
// which of them is the big one.
type fleet struct {
	sms [2]int
	big int
}

var knownFleets sync.Map // by GPU

// fleet is that of a GPU; an error if it does not have two kinds of SM.
func (d *Data) fleet(machine string) (f fleet, err error) {
	if known, ok := knownFleets.Load(machine); ok {
		return known.(fleet), nil
	}
	gpu, err := d.GPU(machine)
	if err != nil {
		return f, err
	}
	kinds := gpu.Kinds()
	if len(kinds) != 2 || kinds[0].Spec.WarpSlots() == kinds[1].Spec.WarpSlots() {
		return f, fmt.Errorf("GPU %s does not have big and small SMs; valid: one with two kinds of SM of which one has more warp slots", machine)
	}
	for _, g := range gpu.SMs {
		f.sms[index(g.Kind == kinds[1].Kind)] += g.Count
	}
	f.big = index(kinds[1].Spec.WarpSlots() > kinds[0].Spec.WarpSlots())
	knownFleets.Store(machine, f)
	return f, nil
}

// bigs and smalls are the numbers of SMs.
func (f fleet) bigs() int   { return f.sms[f.big] }
func (f fleet) smalls() int { return f.sms[1-f.big] }

// share is a number of big and of small SMs as the policy fixed takes it.
func (f fleet) share(big, small int) string {
	n := [2]int{big, small}
	return strconv.Itoa(n[f.big]) + "+" + strconv.Itoa(n[1-f.big])
}

// onKind is the policy that gives an application all SMs of a kind.
func (f fleet) onKind(big bool) string {
	if big {
		return "fixed:sms=" + f.share(f.bigs(), 0)
	}
	return "fixed:sms=" + f.share(0, f.smalls())
}

// evenly is the policy that divides the conventional GPU's SMs evenly, for good.
func evenly(tenants int) string {
	return "fixed:sms=" + strings.TrimSuffix(strings.Repeat(strconv.Itoa(16/tenants)+"/", tenants), "/")
}
