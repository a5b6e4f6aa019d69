package sweep

import (
	"errors"
	"fmt"
	"slices"

	"cotenant/cta_dispatcher/policy"
	"cotenant/experiment"
	"cotenant/tenant"
	"cotenant/workload"
	"cotenant/workload/source"
)

// Job is a run and the key of its result.
type Job struct {
	experiment.Spec
	Key string

	identity experiment.Identity // Key is the hash of its JSON; the text would fill the memory
	isolated []*Job              // each application alone; none if that is the run itself
	whole    []*Job              // each one's run to the end, nil where no goal needs it
	files    []string            // that the policy reads, and that the applications are made of
	hash     string              // config_hash of the result
}

// Files lists the paths of the files that the job reads.
func (j *Job) Files() []string { return j.files }

// Plan lists the runs of a sweep with the runs that they need.
type Plan struct {
	// Jobs lists the runs asked for, in their order. Equal runs share a Job.
	Jobs []*Job

	inputs  *Inputs
	program string
	jobs    map[string]*Job // by key
	phases  [2][]*Job       // single applications, and then the runs that need them
}

// NewPlan returns a plan without runs. Program identifies the program that will make
// them, to keep the results of different builds apart.
func NewPlan(in *Inputs, program string) *Plan {
	return &Plan{inputs: in, program: program, jobs: map[string]*Job{}}
}

// Len is the number of different runs, with the runs alone that mixes need.
func (p *Plan) Len() int { return len(p.phases[0]) + len(p.phases[1]) }

// All lists the different runs in the order of their beginning.
func (p *Plan) All() []*Job { return slices.Concat(p.phases[0], p.phases[1]) }

// Keys lists the keys of All.
func (p *Plan) Keys() (keys []string) {
	for _, j := range p.All() {
		keys = append(keys, j.Key)
	}
	return keys
}

// Add adds a run. An error names a fault of the GPU, the policy or an application; a
// fault in a file is a *workload.InputError.
func (p *Plan) Add(r experiment.Spec) error {
	j, err := p.job(r)
	if err == nil {
		p.Jobs = append(p.Jobs, j)
	}
	return err
}

// OnlyReporting lists the policies that ignore goals of the runs asked for.
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

// AddMatrix adds the runs of a matrix. Errors name a file and line, of the matrix or of
// an input at fault.
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
			if err := experiment.Comparable(gpu, isolated); err != nil {
				return m.blame("isolated_gpu", err)
			}
		}
	}
	for i, spec := range m.Policies {
		if _, _, err := p.inputs.policy(spec); err != nil {
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
			return m.blame(p.culprit(r), err)
		}
	}
	return nil
}

// culprit is the key of a matrix that a run fails by, when all keys before the window
// have been checked: the parameter without which the run can be added, or cycles.
func (p *Plan) culprit(r experiment.Spec) string {
	for _, x := range r.Given() {
		other := r
		if _ = x.Of(&other.Parameters).Set(x.Default()); p.Add(other) == nil {
			return x.Name
		}
	}
	return "cycles"
}

// blame puts an error at the value that caused it, unless it names a file itself.
func (m *Matrix) blame(path string, err error) error {
	if fault := (*workload.InputError)(nil); errors.As(err, &fault) {
		return err
	}
	return m.at.Nearest(path).Errorf("%s: %v", path, err)
}

// job is the job of a run, with the runs alone that it needs.
func (p *Plan) job(s experiment.Spec) (*Job, error) {
	if s.IsolatedGPU == s.GPU {
		s.IsolatedGPU = "" // as without it
	}
	j, run, err := p.inputs.describe(s)
	if err != nil {
		return nil, err
	}
	if err := run.Check(); err != nil {
		return nil, err
	}
	j.identity.Program = p.program
	j.Key, j.hash = j.identity.Key(), j.identity.ConfigHash()
	if known := p.jobs[j.Key]; known != nil {
		return known, nil
	}
	phase := 0
	if len(s.Apps) > 1 || s.IsolatedGPU != "" {
		phase = 1
		if err := p.need(j, run); err != nil {
			return nil, err
		}
	}
	p.jobs[j.Key] = j
	p.phases[phase] = append(p.phases[phase], j)
	return j, nil
}

// need adds the runs of applications alone that a job needs. Its rehearsal is carried
// out by the process of the mix: a policy cannot be stored.
func (p *Plan) need(j *Job, run *experiment.Run) error {
	j.isolated, j.whole = make([]*Job, len(j.Apps)), make([]*Job, len(j.Apps))
	var tenants []tenant.Attributes
	for _, a := range run.Apps {
		tenants = append(tenants, a.Attributes)
	}
	for _, part := range j.Plan(tenants, run.GPU.Clocks.Core, policy.Needs{}) {
		list := j.isolated
		switch part.Kind {
		case experiment.Mix, experiment.Rehearsal:
			continue
		case experiment.Whole:
			list = j.whole
		}
		var err error
		if list[part.App], err = p.job(part.Spec); err != nil {
			return err
		}
	}
	return nil
}
