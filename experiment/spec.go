package experiment

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"cotenant/cta_dispatcher/policy"
	"cotenant/options"
	"cotenant/platform/wiring"
	"cotenant/tenant"
	"cotenant/workload"
	"cotenant/workload/programs"
	"cotenant/workload/source"
	"cotenant/workload/traceg"
)

// Spec describes a run in the words of the run command. It is the one description:
// flags fill it, matrices vary it, tasks carry it as JSON, and Identity follows from it.
type Spec struct {
	GPU string `json:"gpu"` // preset or file
	// IsolatedGPU is the GPU on which applications run alone, "" for GPU itself.
	// HeteroCore compares with the conventional GPU alone (its Algorithm 1). Its core
	// clock, ISA and layout of textures must be the same: see Comparable.
	IsolatedGPU string   `json:"isolated_gpu,omitempty"`
	Policy      string   `json:"policy"` // NAME, or NAME:option=value,...
	Apps        []string `json:"apps"`   // with the attributes of their tenants
	// Cycles is the length of the window in core cycles. 0: the run ends by Until.
	Cycles uint64 `json:"cycles,omitempty"`
	// Until ends a run without a window, as ParseEnd reads it. "" stands for done.
	Until string `json:"until,omitempty"`
	// MaxCycles bounds each simulation without a window: a longer one gives
	// wiring.ErrUnfinished. 0: no bound. It changes no result.
	MaxCycles uint64 `json:"max_cycles,omitempty"`
	Seed      uint64 `json:"seed"` // of the statistical profiles
	// UnknownOpcodeALU takes an opcode of a trace that the tables do not know as
	// an integer instruction.
	UnknownOpcodeALU bool `json:"unknown_opcode_alu,omitempty"`
	// HostTimeout is the processor time that a CUDA program may take without a call of CUDA;
	// 0 stands for programs.DefaultCPUTimeout. It changes no result.
	HostTimeout time.Duration `json:"host_timeout,omitempty"`
	// Check looks for faults in the kernels of CUDA programs: a list as programs.ParseCheck reads it. It changes
	// no result.
	Check string `json:"check,omitempty"`
	// Strict ends the run with an error if a run of a CUDA program makes other calls than its first one, or Check
	// finds a fault.
	Strict bool `json:"strict,omitempty"`
	// Outside is what kernels of CUDA programs read next to arrays, as programs.ParseOutside reads it; "" is error.
	Outside string `json:"outside,omitempty"`
	Parameters
	// Isolated lists known figures of the applications alone. An IPC of 0 has the run
	// measure them; nil measures all.
	Isolated []Isolated `json:"isolated,omitempty"`
}

// Source is how the run's applications are opened for its GPU.
func (s *Spec) Source(gpu *wiring.Config) source.Options {
	check, _ := programs.ParseCheck(s.Check) // the zero value for ""; flags check the rest
	zero, _ := programs.ParseOutside(s.Outside)
	return source.Options{Seed: s.Seed, Check: check, Target: gpu.Streams(), Device: device(gpu), HostTimeout: s.HostTimeout, Strict: s.Strict, OutsideIsZero: zero, Trace: traceg.Options{UnknownOpcodeALU: s.UnknownOpcodeALU}}
}

// Replays is the number of times that each application must complete, 0 where
// applications run once or to the end of the window.
func (s *Spec) Replays() uint64 {
	if s.Cycles > 0 || s.Until == "" {
		return 0
	}
	n, _ := ParseEnd(s.Until) // Check returns the error
	return n
}

// Timed reports whether an application has a goal in time, which may need a run of it
// to the end.
func Timed(apps ...string) bool {
	return slices.ContainsFunc(apps, func(app string) bool {
		_, a, err := source.Split(app)
		return err == nil && a.QoSTime > 0 // opening the application returns the error
	})
}

// Arguments is the command line of the run, without the program and without flags of
// its output.
func (s *Spec) Arguments() []string {
	args := []string{"run", "--gpu", s.GPU, "--policy", s.Policy}
	for _, app := range s.Apps {
		args = append(args, "--app", app)
	}
	if s.Cycles > 0 {
		args = append(args, "--cycles", strconv.FormatUint(s.Cycles, 10))
	} else {
		args = append(args, "--until", s.Until)
	}
	if s.MaxCycles > 0 && (s.Cycles == 0 || Timed(s.Apps...)) {
		args = append(args, "--max-cycles", strconv.FormatUint(s.MaxCycles, 10))
	}
	if s.IsolatedGPU != "" {
		args = append(args, "--isolated-gpu", s.IsolatedGPU)
	}
	for _, x := range s.Given() {
		args = append(args, "--"+x.Name, x.Of(&s.Parameters).String())
	}
	args = append(args, "--seed", strconv.FormatUint(s.Seed, 10))
	if s.UnknownOpcodeALU {
		args = append(args, "--unknown-opcode", "alu")
	}
	if s.HostTimeout != 0 {
		args = append(args, "--host-timeout", s.HostTimeout.String())
	}
	if s.Check != "" {
		args = append(args, "--check", s.Check)
	}
	if s.Outside != "" {
		args = append(args, "--outside", s.Outside)
	}
	if s.Strict {
		args = append(args, "--strict")
	}
	return args
}

// Command is Arguments as a shell takes them.
func (s *Spec) Command() string {
	var words []string
	for _, word := range s.Arguments() {
		words = append(words, options.Quoted(word))
	}
	return strings.Join(words, " ")
}

// String names the run in messages.
func (s Spec) String() string {
	window := s.Until
	if s.Cycles > 0 {
		window = workload.Count(s.Cycles, "cycle")
	}
	return strings.Join(s.Apps, " + ") + " on " + s.GPU + " under " + s.Policy + ", " + window + ", seed " + strconv.FormatUint(s.Seed, 10) + s.Words()
}

// Kind says what a job of a run measures.
type Kind uint8

// The kinds.
const (
	Mix       Kind = iota // the applications together: the run itself
	Rehearsal             // the mix, so that its policy can learn from it
	Alone                 // an application alone, for as long as it has in the mix
	Whole                 // an application alone, to its end, for a goal in time
)

// Job is one simulation of a run.
type Job struct {
	Spec
	Kind  Kind
	App   int    // which application Alone and Whole run
	Needs []*Job // they end before the job begins
}

// Plan lists the simulations of a run, each after the jobs that it needs. It takes the
// applications' tenants, the core clock in MHz and the policy's needs. Runs alone come
// before the mix where the policy or a goal needs their figures, and else after it: the
// mix may be an application's run alone.
func (s Spec) Plan(tenants []tenant.Attributes, mhz int, needs policy.Needs) (plan []*Job) {
	mix := &Job{Spec: s, Kind: Mix}
	first := slices.ContainsFunc(tenants, func(a tenant.Attributes) bool { return a.HasGoal() }) || len(tenants) > 1 && needs.Alone != (policy.Alone{})
	var alone []*Job
	for i, a := range tenants {
		known := s.known(i)
		j := &Job{Spec: s.ByItself(i), Kind: Alone, App: i}
		if !first {
			j.Needs = []*Job{mix}
		}
		if s.Cycles > 0 {
			late := ArrivalCycle(a, mhz)
			j.Warmup -= min(s.Warmup, late)
			j.Cycles -= min(s.Cycles-1, late-min(s.Warmup, late))
		}
		alone = append(alone, j)
		if a.QoSTime > 0 && known.Instructions == 0 && (s.Cycles > 0 || known.IPC > 0) {
			whole := &Job{Spec: s.ByItself(i), Kind: Whole, App: i, Needs: []*Job{j}}
			whole.Cycles, whole.Until, whole.Warmup = 0, "done", 0
			alone = append(alone, whole)
		}
	}
	together := []*Job{mix}
	if needs.Rehearsal != nil && len(tenants) > 1 {
		rehearsal := &Job{Spec: s, Kind: Rehearsal}
		mix.Needs, together = []*Job{rehearsal}, []*Job{rehearsal, mix}
	}
	if first {
		together[0].Needs = alone
		return append(alone, together...)
	}
	return append(together, alone...)
}

// known is what Isolated says of an application.
func (s *Spec) known(app int) Isolated {
	if app < len(s.Isolated) {
		return s.Isolated[app]
	}
	return Isolated{}
}

// ByItself is the run with one application alone, on the GPU for that.
func (s Spec) ByItself(i int) Spec {
	s.Policy, s.Isolated = IsolatedPolicy, nil
	if i < len(s.Apps) {
		app, _, _ := source.Split(s.Apps[i]) // opening the application returns the error
		s.Apps = []string{app}
	}
	if s.IsolatedGPU != "" {
		s.GPU, s.IsolatedGPU = s.IsolatedGPU, ""
	}
	return s
}
