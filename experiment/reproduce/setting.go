package reproduce

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"cotenant/experiment"
	"cotenant/platform/wiring"
)

// setting says what is simulated for figures. A paper has one for all its figures; a
// figure may have another value, and further applications, machines, ways and groups.
type setting struct {
	GPU string `yaml:"gpu"` // a preset: the machine of the paper
	// Machine is the machine of ways that name none, out of Machines; "": the GPU.
	Machine string `yaml:"machine" of:"machine"`
	// Isolated is the machine on which applications run alone to be compared with, for
	// mixes on other machines; "": that of the mix.
	Isolated     string         `yaml:"isolated" of:"machine"`
	Cycles       cycles         `yaml:"cycles"` // of the window; 0: the scale's
	Until        scaled         `yaml:"until"`  // instead of a window, as run --until takes it
	Pages        string         `yaml:"pages"`  // where they are at first, as run --pages takes it
	Size         string         `yaml:"size"`   // of all inputs, instead of what applications say
	Later        cycles         `yaml:"later"`  // when the applications after the first arrive
	Applications []application  `yaml:"applications"`
	Machines     []machine      `yaml:"machines"`
	Ways         []way          `yaml:"ways"`
	Groups       []groupOfMixes `yaml:"groups"`
}

// scaled is text that may differ between the scales.
type scaled struct {
	Both  string `yaml:"-"`
	Quick string `yaml:"quick"`
	Full  string `yaml:"full"`
}

// Short is what a scalar sets.
func (t *scaled) Short() any { return &t.Both }

func (t *scaled) at(s Scale) string {
	switch {
	case t.Both != "":
		return t.Both
	case s.Quick:
		return t.Quick
	}
	return t.Full
}

// cycles is a number of core cycles that may differ between the scales.
type cycles struct {
	Quick int `yaml:"quick"`
	Full  int `yaml:"full"`
}

func (c *cycles) at(s Scale) uint64 {
	if s.Quick {
		return uint64(c.Quick)
	}
	return uint64(c.Full)
}

// windowed is text that may differ between windows as long as the full scale's, and shorter.
type windowed struct {
	Both  string `yaml:"-"`
	Brief string `yaml:"short"`
	Long  string `yaml:"long"`
}

// Short is what a scalar sets.
func (t *windowed) Short() any { return &t.Both }

func (t *windowed) at(long bool) string {
	switch {
	case t.Both != "":
		return t.Both
	case long:
		return t.Long
	}
	return t.Brief
}

// application is an application of a paper, as it is run here.
type application struct {
	Name   string `yaml:"name"`   // in the paper
	Class  names  `yaml:"class"`  // that it belongs to
	Kernel string `yaml:"kernel"` // that is measured, where not all are
	Spec   scaled `yaml:"spec"`   // "": NAME?size=medium
	Cycles cycles `yaml:"cycles"` // of a window of its own; 0: until the setting's end
}

// machine is a GPU that figures run on beside the paper's.
type machine struct {
	Name string `yaml:"name"`
	// Preset is it, for the paper's GPU. Options make it of another GPU that the user
	// names, and of the paper's without a preset. With a preset alone there is none for
	// another GPU.
	Preset  string `yaml:"preset"`
	Options string `yaml:"options"`
}

// way is a way of sharing that figures compare.
type way struct {
	Name   string   `yaml:"name"`
	Policy windowed `yaml:"policy"`
	// Policies names a list instead; its best by the measure Best counts.
	Policies string `yaml:"policies" of:"list of policies"`
	Best     string `yaml:"best" of:"measure"`
	// Like names instead a way that has found the policy.
	Like    string `yaml:"like" of:"way"`
	Machine string `yaml:"machine" of:"machine"` // "": the setting's
	Options string `yaml:"options"`              // of the machine
	// Preferred is what is said of the application that a mix prefers.
	Preferred string `yaml:"preferred"`
	Only      string `yaml:"only" of:"scale"` // what has it: the scale quick or full, or windows short or long; "": all
}

// with is a GPU with one more option.
func with(gpu, option string) string {
	switch {
	case option == "":
		return gpu
	case strings.Contains(gpu, "?"):
		return gpu + "&" + option
	}
	return gpu + "?" + option
}

// byName returns the entry of a name, the figure's before the paper's; nil if there is none,
// and then the names that there are.
func byName[T any](f *Experiment, list func(*setting) []T, name func(*T) string, wanted string) (found *T, valid []string) {
	both := []*setting{&f.Setting, &f.paper.Setting}
	for _, s := range both {
		entries := list(s)
		for i := range entries {
			if name(&entries[i]) == wanted {
				return &entries[i], nil
			}
		}
	}
	for _, s := range both {
		entries := list(s)
		for i := range entries {
			valid = append(valid, name(&entries[i]))
		}
	}
	return nil, valid
}

func (f *Experiment) application(name string) (*application, []string) {
	return byName(f, func(s *setting) []application { return s.Applications }, func(a *application) string { return a.Name }, name)
}

func (f *Experiment) machine(name string) (*machine, []string) {
	return byName(f, func(s *setting) []machine { return s.Machines }, func(m *machine) string { return m.Name }, name)
}

func (f *Experiment) way(name string) (*way, []string) {
	return byName(f, func(s *setting) []way { return s.Ways }, func(w *way) string { return w.Name }, name)
}

func (f *Experiment) groupOf(name string) (*groupOfMixes, []string) {
	return byName(f, func(s *setting) []groupOfMixes { return s.Groups }, func(g *groupOfMixes) string { return g.Name }, name)
}

// gpuOf is a machine on the scale's GPU; "" if there is none.
func (f *Experiment) gpuOf(s Scale, name string) string {
	m := &machine{}
	if name != "" {
		m, _ = f.machine(name)
	}
	switch {
	case m.Preset == "":
		return with(s.GPU, m.Options)
	case s.GPU == f.Setting.GPU:
		return m.Preset
	case m.Options == "":
		return ""
	}
	return with(s.GPU, m.Options)
}

// machineOf is the GPU of a way; "" if the scale does not have the way.
func (f *Experiment) machineOf(s Scale, w *way) string {
	if w.Only != "" && !map[string]bool{"quick": s.Quick, "full": !s.Quick, "short": !f.long(s), "long": f.long(s)}[w.Only] {
		return ""
	}
	gpu := f.gpuOf(s, cmp.Or(w.Machine, f.Setting.Machine))
	if gpu == "" {
		return ""
	}
	return with(gpu, w.Options)
}

// spec is an application as run takes it.
func (f *Experiment) spec(s Scale, name string) string {
	a, _ := f.application(name)
	spec := cmp.Or(a.Spec.at(s), name+"?size=medium")
	if size := cmp.Or(s.Size, f.Setting.Size); size != "" {
		program, _, _ := strings.Cut(spec, "?")
		spec = program + "?size=" + size
	}
	return strings.ReplaceAll(spec, programsFolder, s.Programs)
}

// programsFolder stands in the specs of applications for the scale's folder of programs.
const programsFolder = "{programs}"

// TakesPrograms says whether the figure runs CUDA programs from the scale's folder.
func (f *Experiment) TakesPrograms() bool {
	for _, s := range []*setting{&f.Setting, &f.paper.Setting} {
		if slices.ContainsFunc(s.Applications, func(a application) bool { return strings.Contains(a.Spec.at(Full), programsFolder) }) {
			return true
		}
	}
	return false
}

// specs are the applications of a mix as run takes them.
func (f *Experiment) specs(s Scale, w *way, m *mix) (list []string) {
	for i, name := range m.apps {
		spec := f.spec(s, name)
		if later := f.Setting.Later.at(s); later > 0 && i > 0 {
			spec += fmt.Sprintf("&arrival=%d", later)
		}
		if i < m.goals {
			spec += fmt.Sprintf("&qos=%g", float64(m.percent)/100)
		}
		if w.Preferred != "" && i == m.preferred {
			spec += "&" + w.Preferred
		}
		list = append(list, spec)
	}
	return list
}

// window is the length of a window in core cycles, where no application has one of its own.
func (f *Experiment) window(s Scale) uint64 {
	return cmp.Or(s.Window, f.Setting.Cycles.at(s), s.Cycles)
}

// long says whether windows are as long as the full scale's.
func (f *Experiment) long(s Scale) bool { return f.window(s) >= f.window(Full) }

// run is a mix on a GPU under a policy.
func (f *Experiment) run(s Scale, gpu, policy string, w *way, m *mix) experiment.Spec {
	r := experiment.Spec{GPU: gpu, Policy: policy, Apps: f.specs(s, w, m), Seed: 1}
	r.Pages = wiring.PageMode(f.Setting.Pages)
	own := uint64(0)
	for _, name := range m.apps {
		a, _ := f.application(name)
		own = max(own, a.Cycles.at(s))
	}
	until := f.Setting.Until
	if own == 0 && until.at(s) != "" {
		r.Until = until.at(s)
	} else {
		r.Cycles = cmp.Or(s.Window, own, f.window(s))
	}
	if isolated := f.Setting.Isolated; isolated != "" && len(m.apps) > 1 && gpu != f.gpuOf(s, isolated) {
		r.IsolatedGPU = f.gpuOf(s, isolated)
	}
	return r
}
