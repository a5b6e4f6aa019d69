package heterocore

import (
	"errors"
	"fmt"

	"cotenant/cta_dispatcher/policy"
)

// static divides SMs once for each set of applications, by their isolated IPCs.
type static struct {
	sharing
	goal   Goal
	margin float64
	file   string
	known  map[string]Offline // by name; nil: nothing
	listed []Offline          // by order of arrival; nil: nothing
}

// achieves returns the isolated IPCs of a tenant's application; zero if they are unknown.
func (p *static) achieves(v *policy.View, tenant int) Offline {
	if p.listed != nil {
		return p.listed[v.Tenants[tenant].Rank]
	}
	return p.known[v.Tenants[tenant].Name]
}

// Needs makes it a policy.Policy.
func (p *static) Needs() policy.Needs {
	n := p.sharing.Needs()
	n.Check = p.check
	return n
}

func (p *static) check(v *policy.View) error {
	if n := len(p.listed); n > 0 && n < len(v.Tenants) {
		return fmt.Errorf("option ipcs has figures of %d applications for %d: give figures of each", n, len(v.Tenants))
	}
	if p.known != nil {
		for i := range v.Tenants {
			if name := v.Tenants[i].Name; p.known[name] == (Offline{}) {
				return fmt.Errorf("option ipc=%s: it has no application %s; add its isolated IPCs", p.file, name)
			}
		}
	}
	return twoKinds(v)
}

// twoKinds returns an error if there are more kinds of SM.
func twoKinds(v *policy.View) error {
	n := 0
	for _, sms := range v.Kinds() {
		n += min(sms, 1)
	}
	if n > 2 {
		return fmt.Errorf("the policy needs big and small SMs, and the GPU has %d kinds; valid: one or two", n)
	}
	return nil
}

// Decide divides the SMs if the set of applications has changed, and places.
func (p *static) Decide(v *policy.View, a policy.Actions) {
	if p.meet(v) {
		p.divide(v)
	}
	p.dispatch(v, a)
}

func (p *static) divide(v *policy.View) {
	var big []bool
	if (p.known != nil || p.listed != nil) && p.mixed() && len(p.set) > 1 {
		var apps []Offline
		for _, m := range p.set {
			apps = append(apps, p.achieves(v, m.tenant))
		}
		big = p.goal.Choose(apps, p.sms(), p.margin, p.may)
	}
	p.apply(v, big)
}

// newStatic makes the policy of these options.
func newStatic(o *policy.Options) policy.Policy {
	p := &static{sharing: newSharing(o, perApp), margin: margin(o), file: o.Text("ipc"), listed: offlineList(o),
		goal: Goal(o.Choice("goal", string(Classification), string(STPOptimised), string(Balanced)))}
	if p.file == "none" {
		return p
	}
	data, err := offlineFormat.ReadFile(p.file)
	if err == nil {
		p.known, err = parseOffline(p.file, data)
	}
	if err != nil {
		o.Fail(err)
	}
	if p.listed != nil {
		o.Fail(errors.New("options ipc and ipcs: give one of them"))
	}
	return p
}
