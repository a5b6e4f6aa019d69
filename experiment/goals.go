package experiment

import (
	"fmt"
	"slices"
	"strings"

	"cotenant/cta_dispatcher/policy"
	"cotenant/tenant"
)

// promises reports whether a tenant has a goal. Isolated runs then come before the
// co-run, as goals follow from them.
func (r *Run) promises() bool {
	return slices.ContainsFunc(r.Apps, func(a App) bool { return a.HasGoal() })
}

// inform sets those attributes of the applications that follow from what they
// achieve alone, and warns of goals that nobody keeps or that cannot be reached.
func (r *Run) inform(apps []App, alone []Isolated) {
	informs := r.informs()
	for i := range apps {
		a := &apps[i]
		if informs.WIPC {
			a.IsolatedWIPC = alone[i].WIPC
		}
		if informs.IPC || a.HasGoal() {
			a.IsolatedIPC = alone[i].IPC
		}
		if !a.HasGoal() {
			continue
		}
		a.Goal = Goal(a.Attributes, alone[i], r.GPU.Clocks.Core)
		switch {
		case a.Goal == 0:
			r.warn(fmt.Sprintf("application %q issues nothing alone in this time, so there is nothing to promise: it has no goal", a.Spec))
		case a.Goal > alone[i].IPC:
			r.warn(fmt.Sprintf("application %q: the goal is an IPC of %.4g, and alone it has %.4g: it cannot be reached", a.Spec, a.Goal, alone[i].IPC))
		}
	}
	if r.promises() && !KeepsGoals(r.Policy) {
		r.warn(OnlyReported(r.Policy))
	}
}

func (r *Run) warn(text string) {
	if r.Warn != nil {
		r.Warn(text)
	}
}

// Goal is the IPC that a tenant is promised on a GPU of a core clock in MHz, in
// thread instructions per core cycle; 0 if nothing is. A part of its isolated IPC is
// taken of that, and a time is turned into the IPC at which one run of the
// application takes so long: instructions / (frequency x time) (QoS 3.2).
func Goal(a tenant.Attributes, alone Isolated, mhz int) float64 {
	if a.QoSTime > 0 {
		const nanosecondsTimesMHz = 1000 // in a cycle
		return float64(alone.Instructions) * nanosecondsTimesMHz / (float64(mhz) * float64(a.QoSTime.Nanoseconds()))
	}
	return a.QoS * alone.IPC
}

// OnlyReported says in a line that policies do not work for goals, and which do.
func OnlyReported(policies ...string) string {
	var keepers []string
	for _, d := range policy.All() {
		if KeepsGoals(d.Name) {
			keepers = append(keepers, d.Name)
		}
	}
	text := "goals are only reported under " + strings.Join(policies, ", ")
	if keepers == nil {
		return text + "; this program has no policy that keeps them"
	}
	return text + "; policies that keep them: " + strings.Join(keepers, ", ")
}

// KeepsGoals reports whether a policy, as it is written, works for goals.
func KeepsGoals(spec string) bool {
	p, err := policy.Parse(spec)
	return err == nil && p.Needs().Goals // the error is that of the run
}
