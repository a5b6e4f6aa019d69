package heterocore

import (
	"strconv"
	"strings"

	"cotenant/cta_dispatcher/policy"
	"cotenant/workload/strictyaml"
)

// Offline holds an application's isolated IPCs (HeteroCore 4.2), in any one unit such as
// thread instructions in a core cycle.
type Offline struct {
	// Base16 is the IPC on all 16 SMs of the conventional GPU, the base of STP. Above 0.
	Base16 float64 `yaml:"IPC_base16"`
	// Base8 is the IPC on half of the conventional SMs. Above 0.
	Base8 float64 `yaml:"IPC_base8"`
	// Big is the IPC on the big SMs alone, Small on the small ones. 0 for an application that
	// does not fit.
	Big   float64 `yaml:"IPC_big"`
	Small float64 `yaml:"IPC_small"`
}

// Lean reports whether an application keeps its IPC on small SMs, compared with as many
// conventional ones (HeteroCore 4.2), within the margin. An application that loses IPC is
// thick.
func (o *Offline) Lean(margin float64) bool { return (1+margin)*o.Small >= o.Base8 }

// kernel returns the IPCs for STP.
func (o *Offline) kernel() Kernel { return Kernel{Big: o.Big, Small: o.Small, Base: o.Base16} }

// Goal is the aim of a static division.
type Goal string

const (
	Classification Goal = "classification"
	STPOptimised   Goal = "stp"
	Balanced       Goal = "balanced"
)

// Choose is the static division of applications, in the order of arrival (HeteroCore 4.2): it
// returns the applications on the big SMs, nil for a part of each kind for each. The paper
// stops at two. Of more than two, classification lets the thick ones share the big SMs and the
// lean ones the small SMs; the other goals are alike.
func (g Goal) Choose(apps []Offline, sms SMs, margin float64, may func(k int, big bool) bool) (big []bool) {
	kernels, thick := make([]Kernel, len(apps)), make([]bool, len(apps))
	n := 0
	for k := range apps {
		kernels[k], thick[k] = apps[k].kernel(), !apps[k].Lean(margin)
		n += index(thick[k])
	}
	switch {
	case g == Classification && (n == 0 || n == len(apps)):
		return nil
	case g == Classification:
		return thick
	case len(apps) > 2:
		big, _ = ChooseMany(kernels, sms, may)
	case g == STPOptimised:
		big = HigherSTP(kernels, sms)
	default:
		big, _ = ChooseTwo(kernels, sms, margin)
	}
	return big
}

// figure is one of the IPCs, by its key in files and in the order of the option ipcs.
type figure struct {
	key   string
	value *float64
	zero  bool // the IPC may be 0
}

func (o *Offline) figures() []figure {
	return []figure{{"IPC_base16", &o.Base16, false}, {"IPC_base8", &o.Base8, false}, {"IPC_big", &o.Big, true}, {"IPC_small", &o.Small, true}}
}

// valid reports whether a run can give the IPC.
func (f *figure) valid() bool {
	return *f.value <= mostIPC && (*f.value > 0 || f.zero && *f.value == 0)
}

// runs reports whether an application runs on some SMs.
func (o *Offline) runs() bool { return o.Big+o.Small > 0 }

// mostIPC is beyond any GPU.
const mostIPC = 1e9

// offlineList reads the option ipcs: isolated IPCs by order of arrival, as
// IPC_base16+IPC_base8+IPC_big+IPC_small with slashes between applications; nil for none.
func offlineList(o *policy.Options) []Offline {
	const valid = "IPC_base16+IPC_base8+IPC_big+IPC_small of each application, the first two above 0 and one of the others, to 1e9, such as 400+210+330+150/200+120+118+121"
	return policy.List(o, "ipcs", "none", valid, func(item string) (app Offline, ok bool) {
		words, figures := strings.Split(item, "+"), app.figures()
		if len(words) != len(figures) {
			return app, false
		}
		for i, f := range figures {
			var err error
			if *f.value, err = strconv.ParseFloat(words[i], 64); err != nil || !f.valid() {
				return app, false
			}
		}
		return app, app.runs()
	})
}

// ListOffline writes isolated IPCs as the option ipcs reads them.
func ListOffline(apps []Offline) string {
	var list []string
	for _, o := range apps {
		var words []string
		for _, f := range o.figures() {
			words = append(words, strconv.FormatFloat(*f.value, 'f', -1, 64))
		}
		list = append(list, strings.Join(words, "+"))
	}
	return strings.Join(list, "/")
}

// offlineFormat is the document's kind.
var offlineFormat = strictyaml.List("a list of offline IPCs", "the list", "applications")

// offlineKey is its only key, a mapping of names.
const offlineKey = "applications"

// parseOffline reads isolated IPCs of applications by their names:
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
		for _, f := range o.figures() {
			if _, given := at[path+"."+f.key]; !given {
				return nil, e.At.Errorf("%s has no %s; it takes IPC_base16, IPC_base8, IPC_big and IPC_small", path, f.key)
			}
			if !f.valid() {
				least := "above 0,"
				if f.zero {
					least = "0"
				}
				return nil, at.Nearest(path+"."+f.key).Errorf("%s.%s is %v; valid: %s to 1e9", path, f.key, *f.value, least)
			}
		}
		if !o.runs() {
			return nil, e.At.Errorf("%s has neither IPC_big nor IPC_small above 0; it runs on some SMs", path)
		}
		apps[e.Name] = o
	}
	return apps, nil
}
