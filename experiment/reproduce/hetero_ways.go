package reproduce

import (
	"slices"
	"strconv"

	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/policy/heterocore"
	"cotenant/experiment"
	"cotenant/experiment/oracle"
	"cotenant/experiment/sweep"
)

// way is a way of sharing that the HeteroCore paper compares. Of several policies that are
// tried the one counts whose result prefers says is the highest, of equals the first.
type oldWay struct {
	contender
	prefers func(*experiment.Result) experiment.Figure
}

func (w oldWay) named(name string) oldWay {
	w.name = name
	return w
}

// The highest STP, and the lowest ANTT.
var (
	highestSTP = stp.value
	lowestANTT = func(r *experiment.Result) experiment.Figure { return -r.ANTT }
)

// one is a way with one policy for all mixes.
func one(name string, machine func(Scale) string, policy string) oldWay {
	return oldWay{contender: contender{name: name, machine: machine, policy: always(policy)}}
}

var (
	viaEven     = one("even", conventional, evenly(2))
	viaAgnostic = one("agnostic", plain, "heterocore-agnostic")
	viaDynamic  = one("dynamic", plain, "heterocore")
	viaMargin   = one("dynamic, margin 0.05", plain, "heterocore:margin=0.05")

	viaSTP            = viaStatic("STP-optimised", heterocore.STPOptimised, 0)
	viaClasses        = viaStatic("classification", heterocore.Classification, 0)
	viaBalanced       = viaStatic("balanced", heterocore.Balanced, 0)
	viaClassesMargin  = viaStatic("classification, margin 0.05", heterocore.Classification, 0.05)
	viaBalancedMargin = viaStatic("balanced, margin 0.05", heterocore.Balanced, 0.05)

	// viaUneven is the best division of the conventional GPU's SMs in steps of two.
	viaUneven = oldWay{contender{name: "uneven partition", machine: conventional, tried: unevenly}, highestSTP}
	// viaSMKSTP and viaSMKANTT are the best combination of thread blocks on each of its SMs,
	// whose schedulers take kernels in turn.
	viaSMKSTP  = oldWay{contender{name: "SMK of highest STP", machine: kernelLRR, tried: (*Data).heteroCTAs}, highestSTP}
	viaSMKANTT = oldWay{contender{name: "SMK of lowest ANTT", machine: kernelLRR, tried: (*Data).heteroCTAs}, lowestANTT}
)

var kernelLRR = conventionalWith("sm.scheduler=kernel-lrr")

// unevenly lists the divisions of 16 SMs in steps of two (2.4).
func unevenly(*Data, []string, speedup) (policies []string) {
	for n := 2; n < 16; n += 2 {
		policies = append(policies, "fixed:sms="+strconv.Itoa(n)+"/"+strconv.Itoa(16-n))
	}
	return policies
}

// heteroCTAs lists the combinations of thread blocks on an SM, of which the quick scale has
// those to which none can be added.
func (d *Data) heteroCTAs(mix []string, _ speedup) (policies []string) {
	r, err := d.roomOf(conventional(d.Scale), heteroSpecs(d.Scale, mix))
	if err != nil {
		return nil
	}
	list := oracle.Combinations
	if d.Scale.Quick {
		list = oracle.Front
	}
	for _, tbs := range list(&r.capacity, r.demands) {
		policies = append(policies, oracle.Policy(tbs, nil))
	}
	return policies
}

// viaStatic is a static division of two (4.2).
func viaStatic(name string, goal heterocore.Goal, margin float64) oldWay {
	w := staticWay{goal, margin}
	return oldWay{contender{name: name, machine: plain, tried: func(d *Data, mix []string, _ speedup) []string { return d.static(w, mix) }}, highestSTP}
}

// staticWay is a way to divide statically.
type staticWay struct {
	goal   heterocore.Goal
	margin float64
}

// staticWays are all of them, in the order in which one stands for others.
var staticWays = []staticWay{{heterocore.STPOptimised, 0}, {heterocore.Classification, 0}, {heterocore.Balanced, 0},
	{heterocore.Classification, 0.05}, {heterocore.Balanced, 0.05}}

// static is the policy of a static division of a mix, nothing before it is known what its
// applications achieve alone. Ways that divide the mix alike are one run: that of the first
// of them, or without a division that of even parts of each kind.
func (d *Data) static(w staticWay, mix []string) []string {
	apps, f, ok := d.offline(mix)
	if !ok {
		return nil
	}
	choice := func(w staticWay) []bool {
		return w.goal.Choose(apps, heterocore.SMs{Big: f.bigs(), Small: f.smalls()}, w.margin, func(int, bool) bool { return true })
	}
	big := choice(w)
	if big == nil {
		return []string{viaAgnostic.policy(d.Scale)}
	}
	for _, first := range staticWays {
		if slices.Equal(choice(first), big) {
			w = first
			break
		}
	}
	spec := "heterocore-static:goal=" + string(w.goal)
	if w.margin > 0 {
		spec += ",margin=" + strconv.FormatFloat(w.margin, 'g', -1, 64)
	}
	return []string{spec + ",ipcs=" + heterocore.ListOffline(apps)}
}

// offline is what the applications of a mix achieve alone, on the scale's GPU and its
// fleet; false before it is known.
func (d *Data) offline(mix []string) (apps []heterocore.Offline, f fleet, ok bool) {
	f, err := d.fleet(d.Scale.GPU)
	if err != nil {
		return nil, f, false
	}
	for _, name := range mix {
		var figures [4]float64
		for i, on := range d.offlineRuns(f) {
			ipc, known := d.ipcAlone(on.gpu, on.policy, name)
			if !known {
				return nil, f, false
			}
			figures[i] = policy.Decisive(ipc)
		}
		apps = append(apps, heterocore.Offline{Base16: figures[0], Base8: figures[1], Big: figures[2], Small: figures[3]})
	}
	return apps, f, true
}

// place is a machine, and a policy that gives an application some of its SMs.
type place struct{ gpu, policy string }

// offlineRuns are where an application is run alone (4.2).
func (d *Data) offlineRuns(f fleet) [4]place {
	base := conventional(d.Scale)
	return [4]place{{base, fcfs.spec}, {base, "fixed:sms=8"}, {d.Scale.GPU, f.onKind(true)}, {d.Scale.GPU, f.onKind(false)}}
}

// offlineAsked lists the runs of offlineRuns; none on a GPU with one kind of SM.
func (d *Data) offlineAsked(names []string) (runs []sweep.Run) {
	f, err := d.fleet(d.Scale.GPU)
	if err != nil {
		return nil
	}
	for _, on := range d.offlineRuns(f) {
		runs = append(runs, singles(d.Scale, on.gpu, on.policy, names)...)
	}
	return runs
}
