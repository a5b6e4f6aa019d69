package heterocore

import (
	"errors"
	"fmt"

	"cotenant/cta_dispatcher/policy"
	"cotenant/workload/strictyaml"
)

// Offline is what an application achieves alone (HeteroCore 4.2): IPCs in one unit,
// which does not matter, such as thread instructions in a core cycle.
type Offline struct {
	// Base16 is that on all 16 SMs of the conventional GPU, the one that STP is
	// relative to. Above 0.
	Base16 float64 `yaml:"IPC_base16"`
	// Base8 is that on half of them. Above 0.
	Base8 float64 `yaml:"IPC_base8"`
	// Big is that on the big SMs alone, Small on the small ones. 0 for an application
	// that does not fit.
	Big   float64 `yaml:"IPC_big"`
	Small float64 `yaml:"IPC_small"`
}

// Lean reports whether an application does not lose on small SMs what it has on as many
// conventional ones (HeteroCore 4.2), but for the margin. One that does is thick.
func (o *Offline) Lean(margin float64) bool { return (1+margin)*o.Small >= o.Base8 }

// kernel is what STP is reckoned from.
func (o *Offline) kernel() Kernel { return Kernel{Big: o.Big, Small: o.Small, Base: o.Base16} }

// goal is what a static division is for.
type goal string

const (
	classification goal = "classification"
	stpOptimised   goal = "stp"
	balanced       goal = "balanced"
)

// Choose is the static division of applications, in the order of arrival (HeteroCore
// 4.2): who shares the big SMs, nil for a part of each kind for everybody. Of more than
// two, of which the paper does not speak, classification has the thick ones share the
// big SMs and the lean ones the small ones, and the other goals are one.
func (g goal) Choose(apps []Offline, sms SMs, margin float64, may func(k int, big bool) bool) (big []bool) {
	kernels, thick := make([]Kernel, len(apps)), make([]bool, len(apps))
	n := 0
	for k := range apps {
		kernels[k], thick[k] = apps[k].kernel(), !apps[k].Lean(margin)
		n += index(thick[k])
	}
	switch {
	case g == classification && (n == 0 || n == len(apps)):
		return nil
	case g == classification:
		return thick
	case len(apps) > 2:
		big, _ = ChooseMany(kernels, sms, may)
	case g == stpOptimised:
		big = HigherSTP(kernels, sms)
	default:
		big, _ = ChooseTwo(kernels, sms, margin)
	}
	return big
}

// offlineFormat is the kind of document that has them.
var offlineFormat = strictyaml.List("a list of offline IPCs", "the list", "applications")

// offlineKey is its only key, a mapping of names.
const offlineKey = "applications"

// parseOffline reads what applications achieve alone, by their names:
//
//	applications:
//	  sgemm: {IPC_base16: 400, IPC_base8: 210, IPC_big: 330, IPC_small: 150}
func parseOffline(file string, data []byte) (map[string]Offline, error) {
	doc, err := offlineFormat.Parse(file, data)
	if err != nil {
		return nil, err
	}
	mapping := doc.Take(offlineKey)
	at := strictyaml.Positions{}
	if err := doc.Decode(&struct{}{}, at); err != nil {
		return nil, err
	}
	if mapping == nil {
		return nil, strictyaml.Position{File: file}.Errorf("has no %s; it takes a mapping of names", offlineKey)
	}
	entries, err := doc.Entries(mapping, offlineKey)
	if err != nil {
		return nil, err
	}
	apps := map[string]Offline{}
	for _, e := range entries {
		var o Offline
		if err := e.Decode(&o, at); err != nil {
			return nil, err
		}
		path := offlineKey + "." + e.Name
		for _, f := range []struct {
			key     string
			value   float64
			nothing bool // it may be 0
		}{{"IPC_base16", o.Base16, false}, {"IPC_base8", o.Base8, false}, {"IPC_big", o.Big, true}, {"IPC_small", o.Small, true}} {
			_, given := at[path+"."+f.key]
			switch {
			case !given:
				return nil, e.At.Errorf("%s has no %s; it takes IPC_base16, IPC_base8, IPC_big and IPC_small", path, f.key)
			case f.nothing && !(f.value >= 0 && f.value <= 1e9):
				return nil, at.Nearest(path+"."+f.key).Errorf("%s.%s is %v; valid: 0 to 1e9", path, f.key, f.value)
			case !f.nothing && !(f.value > 0 && f.value <= 1e9):
				return nil, at.Nearest(path+"."+f.key).Errorf("%s.%s is %v; valid: above 0, to 1e9", path, f.key, f.value)
			}
		}
		if o.Big == 0 && o.Small == 0 {
			return nil, e.At.Errorf("%s has neither IPC_big nor IPC_small above 0; it runs on some SMs", path)
		}
		apps[e.Name] = o
	}
	return apps, nil
}

// static divides SMs once for each set of applications, by what is known of them.
type static struct {
	sharing
	goal   goal
	margin float64
	file   string
	known  map[string]Offline // nil: nothing
}

// Check makes it a policy.Conditional.
func (p *static) Check(v *policy.View) error {
	if p.known != nil {
		for i := range v.Tenants {
			if name := v.Tenants[i].Name; p.known[name] == (Offline{}) {
				return fmt.Errorf("option ipc=%s: it has no application %s; add what that achieves alone", p.file, name)
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
		return fmt.Errorf("it knows big and small SMs, and the GPU has SMs of several kinds, %d; valid: one or two", n)
	}
	return nil
}

// Decide divides the SMs where the set of applications has changed, and places.
func (p *static) Decide(v *policy.View, a policy.Actions) {
	if p.meet(v) {
		p.divide(v)
	}
	p.dispatch(v, a)
}

func (p *static) divide(v *policy.View) {
	var big []bool
	if p.known != nil && p.mixed() && len(p.set) > 1 {
		var apps []Offline
		for _, m := range p.set {
			apps = append(apps, p.known[v.Tenants[m.tenant].Name])
		}
		big = p.goal.Choose(apps, p.sms(), p.margin, p.may)
	}
	p.apply(v, big)
}

// newStatic makes the policy of these options.
func newStatic(o policy.Options) (policy.Policy, error) {
	p := &static{}
	var word string
	var errs [4]error
	p.sharing, errs[0] = newSharing(o, perApp)
	word, errs[1] = o.Choice("goal", string(classification), string(stpOptimised), string(balanced))
	p.goal = goal(word)
	p.margin, errs[2] = margin(o)
	if p.file = o["ipc"]; p.file != "none" {
		var data []byte
		if data, errs[3] = offlineFormat.ReadFile(p.file); errs[3] == nil {
			p.known, errs[3] = parseOffline(p.file, data)
		}
	}
	return p, errors.Join(errs[:]...)
}
