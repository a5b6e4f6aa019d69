package experiment

import (
	"fmt"
	"slices"
	"strings"

	"cotenant/cta_dispatcher/policy"
	"cotenant/tenant"
)

// promises reports whether a tenant has a goal.
func (r *Run) promises() bool {
	return slices.ContainsFunc(r.Apps, func(a App) bool { return a.HasGoal() })
}

// inform sets the attributes of the applications that follow from their figures alone,
// and warns of goals that the policy ignores or that cannot be reached.
func (x *execution) inform() {
	needs := x.sharing.Needs()
	for i := range x.apps {
		a, alone := &x.apps[i], x.alone[i]
		if needs.Alone.WIPC && len(x.apps) > 1 {
			a.IsolatedWIPC = alone.WIPC
		}
		if needs.Alone.IPC && len(x.apps) > 1 || a.HasGoal() {
			a.IsolatedIPC = alone.IPC
		}
		if !a.HasGoal() {
			continue
		}
		a.Goal = Goal(a.Attributes, alone, x.GPU.Clocks.Core)
		switch {
		case a.Goal == 0:
			x.warn(fmt.Sprintf("application %q issues nothing alone in this time, so there is nothing to promise: it has no goal", a.Spec))
		case a.Goal > alone.IPC:
			x.warn(fmt.Sprintf("application %q: the goal is an IPC of %.4g, and alone it has %.4g: it cannot be reached", a.Spec, a.Goal, alone.IPC))
		}
	}
	if x.promises() && !needs.Goals {
		x.warn(OnlyReported(x.Policy))
	}
}

func (r *Run) warn(text string) {
	if r.Warn != nil {
		r.Warn(text)
	}
}

// Goal is the IPC that a tenant is promised, in thread instructions per core cycle of a
// clock in MHz; 0 for no goal. QoS is a part of the isolated IPC. QoSTime becomes the IPC
// at which one run takes that time: instructions / (frequency x time) (QoS 3.2).
func Goal(a tenant.Attributes, alone Isolated, mhz int) float64 {
	if a.QoSTime > 0 {
		const nanosecondsTimesMHz = 1000 // in a cycle
		return float64(alone.Instructions) * nanosecondsTimesMHz / (float64(mhz) * float64(a.QoSTime.Nanoseconds()))
	}
	return a.QoS * alone.IPC
}

// OnlyReported warns that policies ignore goals, and lists the policies that keep them.
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

// KeepsGoals reports whether a policy works for goals.
func KeepsGoals(spec string) bool {
	p, err := policy.Parse(spec)
	return err == nil && p.Needs().Goals // the error is that of the run
}
