package sweep

import (
	"fmt"
	"math"
	"slices"

	"cotenant/experiment"
	"cotenant/options"
	"cotenant/tenant"
	"cotenant/workload"
	"cotenant/workload/programs"
	"cotenant/workload/strictyaml"
)

// maxRuns bounds a matrix, which a few short lists can make very large.
const maxRuns = 1_000_000

// maxCycles bounds a window: days of simulation.
const maxCycles = 1_000_000_000_000

// Matrix is a sweep as its author writes it. The runs are all combinations. Seeds vary
// fastest, then parameters, then the other fields from the last to the first. GPUs,
// policies and applications are written as on the command line of run; paths of files
// are relative to the folder in which the program runs.
type Matrix struct {
	// GPUs are presets or files. Default gtx980.
	GPUs []string `yaml:"gpus"`
	// IsolatedGPU is the GPU on which applications run alone, "" for each GPU itself.
	// Its core clock must be the GPUs'.
	IsolatedGPU string `yaml:"isolated_gpu"`
	// Policies are names with their options, NAME[:option=value,...]. At least
	// one.
	Policies []string `yaml:"policies"`
	// Mixes are the applications that run together. At least one.
	Mixes []Mixes `yaml:"mixes"`
	// Cycles are the lengths of the window, or done to run each application
	// once. At least one.
	Cycles []Window `yaml:"cycles"`
	// MaxCycles bounds the runs to the end: a longer one fails. Default none.
	MaxCycles Bound `yaml:"max_cycles"`
	// Seeds of the statistical profiles. Default 1.
	Seeds []Seed `yaml:"seeds"`
	// UnknownOpcode says how to take an opcode of a trace that the tables do not know:
	// error or alu. Default error.
	UnknownOpcode string `yaml:"unknown_opcode"`
	// Check looks for faults in the kernels of CUDA programs, as --check of run; a run with one fails.
	Check string `yaml:"check"`
	// Strict has a run fail if a program, started again, makes other calls.
	Strict bool `yaml:"strict"`
	// Outside is what kernels of CUDA programs read next to arrays: error or zero. Default error.
	Outside string `yaml:"outside"`

	// axes are the values of experiment.Parameters, by name: one value or a list each.
	// Default the parameter's own.
	axes map[string]axis
	at   strictyaml.Positions
}

// axis is a list of values that may also be written as one.
type axis []string

// Short makes a list of one value.
func (a *axis) Short() any {
	*a = axis{""}
	return &(*a)[0]
}

// Takes completes the message on a mapping.
func (a *axis) Takes() string { return "a value or a list of values" }

// Mixes is one mix or a rule that makes several. One field is given.
type Mixes struct {
	// Apps is one mix.
	Apps []string `yaml:"apps"`
	// Pairs makes a mix of every two of these applications, in their order.
	Pairs []string `yaml:"pairs"`
	// Random draws mixes.
	Random *Random `yaml:"random"`
}

// Random draws different mixes of different applications.
type Random struct {
	// Count is the number of mixes, at least 1.
	Count int `yaml:"count"`
	// Size is the number of applications of a mix, at least 1.
	Size int `yaml:"size"`
	// From lists the applications.
	From []string `yaml:"from"`
	// Seed of the draw, at least 0. Default 0.
	Seed int `yaml:"seed"`
}

// Window is Cycles or Until of an experiment.Spec.
type Window struct {
	Cycles uint64
	Until  string
}

// Takes completes the message on a window that is malformed.
func (w *Window) Takes() string {
	return fmt.Sprintf("a number of cycles from 1 to %d, such as 200k or 2M, or %s", uint64(maxCycles), experiment.Ends)
}

// UnmarshalText reads a window as --cycles and --until do.
func (w *Window) UnmarshalText(text []byte) (err error) {
	if _, err := experiment.ParseEnd(string(text)); err == nil {
		*w = Window{Until: string(text)}
		return nil
	}
	w.Until = ""
	w.Cycles, err = options.Count(string(text), 1, maxCycles)
	return err
}

// Bound is a number of cycles.
type Bound uint64

// Takes completes the message on a bound that is malformed.
func (b *Bound) Takes() string {
	return fmt.Sprintf("a number of cycles from 1 to %d, such as 200k or 2M", uint64(maxCycles))
}

// UnmarshalText reads a bound as --max-cycles does.
func (b *Bound) UnmarshalText(text []byte) error {
	n, err := options.Count(string(text), 1, maxCycles)
	*b = Bound(n)
	return err
}

// Seed is a seed of statistical profiles.
type Seed uint64

// Takes completes the message on a seed that is malformed.
func (s *Seed) Takes() string { return "a whole number from 0" }

// UnmarshalText reads a seed as --seed does.
func (s *Seed) UnmarshalText(text []byte) error {
	n, err := options.Count(string(text), 0, math.MaxUint64)
	*s = Seed(n)
	return err
}

var format = strictyaml.Format{
	Noun:    "a sweep matrix",
	Start:   "a sweep matrix has policies, mixes and cycles",
	Root:    "the matrix",
	AnyText: true,
}

// Load reads a matrix. An error is one line that names the file and, where
// there is one, the line.
func Load(file string) (*Matrix, error) {
	data, err := strictyaml.ReadFile(file)
	if err != nil {
		return nil, workload.Errorf(file, 0, "cannot be read: %v; give the path of a sweep matrix", err)
	}
	return parse(file, data)
}

func parse(file string, data []byte) (*Matrix, error) {
	doc, err := format.Parse(file, data)
	if err != nil {
		return nil, err
	}
	m := &Matrix{GPUs: []string{"gtx980"}, Seeds: []Seed{1}, UnknownOpcode: "error", axes: map[string]axis{}, at: strictyaml.Positions{}}
	for _, x := range experiment.AllParameters() {
		if node := doc.Take(x.Name); node != nil {
			var values axis
			if err := doc.DecodeTaken(node, x.Name, &values, m.at); err != nil {
				return nil, err
			}
			m.axes[x.Name] = values
		}
	}
	if err := doc.Decode(m, m.at); err != nil {
		return nil, err
	}
	return m, m.validate()
}

// errorf makes an error for the value at a path.
func (m *Matrix) errorf(path, format string, args ...any) error {
	return m.at.Nearest(path).Errorf("%s %s", path, fmt.Sprintf(format, args...))
}

// timed reports whether an application has a goal in time, which may need a run of
// it to the end.
func (m *Matrix) timed() bool {
	return slices.ContainsFunc(m.Mixes, func(x Mixes) bool {
		from := slices.Concat(x.Apps, x.Pairs)
		if x.Random != nil {
			from = append(from, x.Random.From...)
		}
		return experiment.Timed(from...)
	})
}

// validate finds what the matrix alone shows to be wrong.
func (m *Matrix) validate() error {
	for _, list := range []struct {
		path string
		n    int
	}{{"gpus", len(m.GPUs)}, {"policies", len(m.Policies)}, {"mixes", len(m.Mixes)}, {"cycles", len(m.Cycles)}, {"seeds", len(m.Seeds)}} {
		if list.n > 0 {
			continue
		}
		if _, given := m.at[list.path]; !given {
			return m.errorf(list.path, "is missing; it takes at least one entry")
		}
		return m.errorf(list.path, "is empty; it takes at least one entry")
	}
	if m.MaxCycles > 0 && !slices.ContainsFunc(m.Cycles, func(w Window) bool { return w.Until != "" }) && !m.timed() {
		return m.errorf("max_cycles", "bounds runs to the end, and cycles has none; valid: with %s", experiment.Ends)
	}
	if m.UnknownOpcode != "error" && m.UnknownOpcode != "alu" {
		return m.errorf("unknown_opcode", "is %q; it takes error or alu", m.UnknownOpcode)
	}
	if m.Check != "" {
		if _, err := programs.ParseCheck(m.Check); err != nil {
			return m.errorf("check", "is wrong: %v", err)
		}
	}
	if m.Outside != "" {
		if _, err := programs.ParseOutside(m.Outside); err != nil {
			return m.errorf("outside", "is %v", err)
		}
	}
	if err := m.validateAxes(); err != nil {
		return err
	}
	mixes := 0
	for i := range m.Mixes {
		n, err := m.count(&m.Mixes[i], fmt.Sprintf("mixes[%d]", i))
		if err != nil {
			return err
		}
		mixes = min(maxRuns+1, mixes+n)
	}
	runs := mixes
	lists := []int{len(m.GPUs), len(m.Policies), len(m.Cycles), len(m.Seeds)}
	for _, values := range m.axes {
		lists = append(lists, len(values))
	}
	for _, n := range lists {
		if runs *= n; runs > maxRuns {
			return m.errorf("mixes", "and the other lists make more than %d runs; split the sweep", maxRuns)
		}
	}
	return nil
}

func (m *Matrix) validateAxes() error {
	for _, x := range experiment.AllParameters() {
		values, given := m.axes[x.Name]
		if given && len(values) == 0 {
			return m.errorf(x.Name, "is empty; it takes at least one entry")
		}
		for i, text := range values {
			at, value := fmt.Sprintf("%s[%d]", x.Name, i), x.Of(&experiment.Parameters{})
			if _, list := m.at[at]; !list {
				at = x.Name
			}
			if value.Set(text) != nil {
				return m.errorf(at, "is %q; it takes %s", text, value.Takes())
			}
		}
	}
	return nil
}

// count checks the mixes of a path and returns how many there are.
func (m *Matrix) count(x *Mixes, at string) (int, error) {
	given := 0
	for _, is := range []bool{x.Apps != nil, x.Pairs != nil, x.Random != nil} {
		if is {
			given++
		}
	}
	switch {
	case given != 1:
		return 0, m.errorf(at, "has %d of apps, pairs and random; it takes one of them", given)
	case x.Apps != nil:
		if n := len(x.Apps); n < 1 || n > tenant.Max {
			return 0, m.errorf(at+".apps", "has %s; a mix takes 1 to %d", workload.Count(n, "application"), tenant.Max)
		}
		return 1, nil
	case x.Pairs != nil:
		n := len(x.Pairs)
		if n < 2 {
			return 0, m.errorf(at+".pairs", "has %s; pairs take at least 2", workload.Count(n, "application"))
		}
		return n * (n - 1) / 2, nil
	}
	r := x.Random
	if len(r.From) == 0 {
		return 0, m.errorf(at+".random.from", "is empty; it takes at least one application")
	}
	switch most := Combinations(len(r.From), r.Size); {
	case r.Size < 1 || r.Size > min(len(r.From), tenant.Max):
		return 0, m.errorf(at+".random.size", "is %d; it takes 1 to %d, as from has %s and a mix at most %d", r.Size,
			min(len(r.From), tenant.Max), workload.Count(len(r.From), "application"), tenant.Max)
	case r.Count < 1 || r.Count > most:
		return 0, m.errorf(at+".random.count", "is %d; it takes 1 to %d, the number of different mixes", r.Count, most)
	case r.Seed < 0:
		return 0, m.errorf(at+".random.seed", "is %d; it takes a whole number from 0", r.Seed)
	}
	return r.Count, nil
}

// Combinations is the number of ways to choose k of n, but at most a million.
func Combinations(n, k int) int {
	c := 1
	for i := range min(k, n-k) {
		if c = c * (n - i) / (i + 1); c > maxRuns {
			return maxRuns
		}
	}
	return c
}
