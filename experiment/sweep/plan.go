package sweep

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"cotenant/experiment"
	"cotenant/platform/build"
	"cotenant/workload"
	"cotenant/workload/source"
)

// Job is a run and the key of its result.
type Job struct {
	Run
	Key string

	identity identity // of whose JSON Key is the hash; the text would fill the memory
	isolated []*Job   // each application alone; none if that is the run itself
	whole    []*Job   // each one's run to the end, nil where no goal needs it
	files    []string // that the policy reads, and that the applications are made of
	hash     string   // config_hash of the result
}

// Files are the paths of the files that the job's policy reads, and that its applications
// are made of.
func (j *Job) Files() []string { return j.files }

// Plan is what a sweep has to do.
type Plan struct {
	// Jobs are the runs asked for, in their order. Equal runs are one Job.
	Jobs []*Job

	inputs  *Inputs
	program string
	jobs    map[string]*Job // by key
	phases  [2][]*Job       // single applications, which the others need, and mixes or what is compared with another GPU
}

// NewPlan returns a plan without runs. Program identifies the program that will
// make them, so that results of another are not taken for its own.
func NewPlan(in *Inputs, program string) *Plan {
	return &Plan{inputs: in, program: program, jobs: map[string]*Job{}}
}

// Len is the number of different runs, those of single applications included
// that the mixes need.
func (p *Plan) Len() int { return len(p.phases[0]) + len(p.phases[1]) }

// All lists the different runs in the order in which they are begun.
func (p *Plan) All() []*Job { return slices.Concat(p.phases[0], p.phases[1]) }

// Keys are those of the results of All.
func (p *Plan) Keys() (keys []string) {
	for _, j := range p.All() {
		keys = append(keys, j.Key)
	}
	return keys
}

// Add adds a run. An error says what is wrong with the GPU, the policy or an
// application; a fault in a file is a *workload.InputError.
func (p *Plan) Add(r Run) error {
	j, err := p.job(r)
	if err == nil {
		p.Jobs = append(p.Jobs, j)
	}
	return err
}

// OnlyReporting lists the policies under which goals of the runs asked for are
// reported, but not kept.
func (p *Plan) OnlyReporting() (policies []string) {
	looked := map[string]bool{} // at whether they have a goal
	promised := func(spec string) bool {
		has, ok := looked[spec]
		if !ok {
			_, a, err := source.Split(spec)
			has = err == nil && a.HasGoal()
			looked[spec] = has
		}
		return has
	}
	kept := map[string]bool{}
	for _, j := range p.Jobs {
		if _, seen := kept[j.Policy]; seen || !slices.ContainsFunc(j.Apps, promised) {
			continue
		}
		if kept[j.Policy] = experiment.KeepsGoals(j.Policy); !kept[j.Policy] {
			policies = append(policies, j.Policy)
		}
	}
	return policies
}

// AddMatrix adds the runs of a matrix. Errors name its file and line, or those
// of an input at fault.
func (p *Plan) AddMatrix(m *Matrix) error {
	for i, gpu := range m.GPUs {
		if _, err := p.inputs.GPU(gpu); err != nil {
			return m.blame(fmt.Sprintf("gpus[%d]", i), err)
		}
	}
	if m.IsolatedGPU != "" {
		isolated, err := p.inputs.GPU(m.IsolatedGPU)
		if err != nil {
			return m.blame("isolated_gpu", err)
		}
		for _, name := range m.GPUs {
			gpu, _ := p.inputs.GPU(name) // there is one: see above
			if err := experiment.SameClock(gpu, isolated); err != nil {
				return m.blame("isolated_gpu", err)
			}
		}
	}
	for i, policy := range m.Policies {
		if _, _, err := p.inputs.policy(policy); err != nil {
			return m.blame(fmt.Sprintf("policies[%d]", i), err)
		}
	}
	for i := range m.Mixes {
		x := &m.Mixes[i]
		base, apps := fmt.Sprintf("mixes[%d].apps", i), x.Apps
		if x.Pairs != nil {
			base, apps = fmt.Sprintf("mixes[%d].pairs", i), x.Pairs
		} else if x.Random != nil {
			base, apps = fmt.Sprintf("mixes[%d].random.from", i), x.Random.From
		}
		for k, spec := range apps {
			if _, err := p.inputs.app(spec, m.UnknownOpcode == "alu"); err != nil {
				return m.blame(fmt.Sprintf("%s[%d]", base, k), err)
			}
		}
	}
	for _, r := range m.Runs() {
		if err := p.Add(r); err != nil {
			at := "cycles" // all else has been looked at
			if other := r; !r.resident() {
				if other.Pages = ""; p.Add(other) == nil {
					at = "pages"
				}
			}
			return m.blame(at, err)
		}
	}
	return nil
}

// blame puts an error at the value that caused it, unless it is that of another
// file.
func (m *Matrix) blame(path string, err error) error {
	if fault := (*workload.InputError)(nil); errors.As(err, &fault) {
		return err
	}
	return m.at.Nearest(path).Errorf("%s: %v", path, err)
}

// identity is everything that determines a result.
type identity struct {
	Program          string        `json:"program"`
	GPU              *build.Config `json:"gpu"`
	Policy           string        `json:"policy"`
	PolicySHA256     []string      `json:"policy_sha256,omitempty"` // of the files that it reads
	Apps             []*app        `json:"apps"`
	Cycles           uint64        `json:"cycles"`
	Until            string        `json:"until"`
	Seed             uint64        `json:"seed"`
	UnknownOpcodeALU bool          `json:"unknown_opcode_alu"`
	IsolatedGPU      *build.Config `json:"isolated_gpu,omitempty"`

	Pages build.PageMode `json:"pages,omitempty"`
}

func (p *Plan) job(r Run) (*Job, error) {
	if r.IsolatedGPU == r.GPU {
		r.IsolatedGPU = "" // as without it
	}
	if r.resident() {
		r.Pages = "" // as not said
	}
	gpu, err := p.inputs.GPU(r.GPU)
	if err != nil {
		return nil, err
	}
	files, sums, err := p.inputs.policy(r.Policy)
	if err != nil {
		return nil, err
	}
	id := identity{Program: p.program, GPU: gpu, Policy: r.Policy, PolicySHA256: sums, Cycles: r.Cycles, Until: r.Until, Seed: r.Seed, UnknownOpcodeALU: r.UnknownOpcodeALU, Pages: r.Pages}
	j := &Job{Run: r, files: slices.Clone(files)}
	asked := experiment.Run{GPU: gpu, Policy: r.Policy, Cycles: r.Cycles, Seed: r.Seed, Pages: r.Pages}
	if r.IsolatedGPU != "" {
		if id.IsolatedGPU, err = p.inputs.GPU(r.IsolatedGPU); err != nil {
			return nil, err
		}
		asked.IsolatedGPU = id.IsolatedGPU
	}
	if r.Cycles == 0 {
		if asked.Replays, err = experiment.ParseEnd(r.Until); err != nil {
			return nil, err
		}
	}
	for _, spec := range r.Apps {
		_, attributes, err := source.Split(spec)
		if err != nil {
			return nil, err
		}
		asked.Apps = append(asked.Apps, experiment.App{Spec: spec, Attributes: attributes})
		a, err := p.inputs.app(spec, r.UnknownOpcodeALU)
		if err != nil {
			return nil, err
		}
		id.Apps = append(id.Apps, a)
		j.files = append(j.files, a.files...)
	}
	if err := asked.Check(); err != nil {
		return nil, err
	}
	j.hash = asked.ConfigHash()
	j.identity = id
	text, err := json.Marshal(id)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(text)
	j.Key = hex.EncodeToString(sum[:])
	if known := p.jobs[j.Key]; known != nil {
		return known, nil
	}
	phase := 0
	if len(r.Apps) > 1 || r.IsolatedGPU != "" {
		phase = 1
		for _, spec := range r.Apps {
			single, err := r.alone(spec, gpu.Clocks.Core)
			if err != nil {
				return nil, err
			}
			alone, err := p.job(single)
			if err != nil {
				return nil, err
			}
			var whole *Job
			if run, needed := r.whole(spec, single.Apps[0]); needed {
				if whole, err = p.job(run); err != nil {
					return nil, err
				}
			}
			j.isolated, j.whole = append(j.isolated, alone), append(j.whole, whole)
		}
	}
	p.jobs[j.Key] = j
	p.phases[phase] = append(p.phases[phase], j)
	return j, nil
}
