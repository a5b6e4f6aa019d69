package reproduce

import (
	"fmt"
	"slices"
	"strconv"
)

// fleet is how many SMs of each of two kinds a GPU has, in the order of its kinds, and
// which of them is the big one.
type fleet struct {
	sms [2]int
	big int
}

// fleet is that of a GPU; false, and an error that is kept, if it does not have two kinds
// of SM.
func (d *evaluation) fleet(machine string) (f fleet, ok bool) {
	if f, ok = d.fleets[machine]; ok {
		return f, true
	}
	gpu := d.gpu(machine)
	if gpu == nil {
		return f, false
	}
	kinds := gpu.Kinds()
	if len(kinds) != 2 || kinds[0].Spec.WarpSlots() == kinds[1].Spec.WarpSlots() {
		d.fail(fmt.Errorf("GPU %s does not have big and small SMs; valid: a GPU with two kinds of SM that differ in warp slots", machine))
		return f, false
	}
	for _, g := range gpu.SMs {
		if g.Kind == kinds[0].Kind {
			f.sms[0] += g.Count
		} else {
			f.sms[1] += g.Count
		}
	}
	if kinds[1].Spec.WarpSlots() > kinds[0].Spec.WarpSlots() {
		f.big = 1
	}
	d.fleets[machine] = f
	return f, true
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

// assignments are the policies that give the first of two applications a quarter, half or three
// quarters of the SMs, any number of them big, and the other the rest (6.5): 19 of eight
// big and eight small SMs, 15 of four and twelve.
func (f fleet) assignments() []string {
	return slices.Concat(f.assigned(1), f.assigned(2), f.assigned(3))
}

// assigned are the assignments of a number of quarters of the SMs.
func (f fleet) assigned(quarters int) (policies []string) {
	bigs, smalls := f.bigs(), f.smalls()
	n := (bigs + smalls) * quarters / 4
	for big := max(0, n-smalls); big <= min(n, bigs); big++ {
		policies = append(policies, "fixed:sms="+f.share(big, n-big)+"/"+f.share(bigs-big, smalls-n+big))
	}
	return policies
}

// onFleet lists policies by the fleet of a way's machine.
func onFleet(list func(fleet) []string) func(*evaluation, *way, *mix, string) []string {
	return func(d *evaluation, w *way, _ *mix, _ string) []string {
		f, ok := d.fleet(d.figure.machineOf(d.Scale, w))
		if !ok {
			return nil
		}
		return list(f)
	}
}

func init() {
	searches["all big SMs"] = onFleet(func(f fleet) []string { return []string{f.onKind(true)} })
	searches["all small SMs"] = onFleet(func(f fleet) []string { return []string{f.onKind(false)} })
	searches["assignments"] = onFleet(fleet.assignments)
	// The divisions of 16 SMs in steps of two (HeteroCore 2.4).
	searches["parts in steps of two"] = func(*evaluation, *way, *mix, string) (policies []string) {
		for n := 2; n < 16; n += 2 {
			policies = append(policies, "fixed:sms="+strconv.Itoa(n)+"/"+strconv.Itoa(16-n))
		}
		return policies
	}
	measures["pairs whose optimum has as many SMs for each"] = &metric{unit: "%", shown: percent, of: func(p *point) float64 {
		f, _ := p.fleet(p.run.GPU)
		return yes(slices.Contains(f.assigned(2), p.run.Policy))
	}}
}
