package emulated

import (
	"slices"

	"cotenant/workload/kernels"
	"cotenant/workload/ptx"
	"cotenant/workload/ptx/sass"
)

// Count runs an application without timing and returns how many warp
// instructions it would issue under each of some sets of lowering rules. What
// fills in behind a barrier (see stream) is not counted. size and arch are as in
// App.
func Count(m *kernels.Manifest, size, arch string, rules ...sass.Options) ([]uint64, error) {
	counts := make([]uint64, len(rules))
	for _, keepOrder := range []bool{false, true} {
		if err := count(m, size, arch, rules, keepOrder, counts); err != nil {
			return nil, err
		}
	}
	return counts, nil
}

// count fills in the counts of the sets of rules that agree on the order of
// loads: programs are executed in the order in which they are lowered.
func count(m *kernels.Manifest, size, arch string, rules []sass.Options, keepOrder bool, counts []uint64) error {
	if !slices.ContainsFunc(rules, func(o sass.Options) bool { return o.KeepOrder == keepOrder }) {
		return nil
	}
	instance, err := m.New(size, arch, ptx.NewMemory())
	if err != nil {
		return err
	}
	for {
		l, ok, err := instance.Next()
		if err != nil || !ok {
			return err
		}
		var codes []*code
		for _, o := range rules {
			c, err := newCode(l.Program, l.RegistersPerThread, o)
			if err != nil {
				return err
			}
			codes = append(codes, c)
		}
		program := l.Program
		if !keepOrder {
			program = codes[slices.IndexFunc(rules, func(o sass.Options) bool { return !o.KeepOrder })].program
		}
		executed, skipped := make([]uint64, program.Len()), make([]uint64, program.Len())
		err = ptx.Watch(program, &l.Config, func(pc int, r ptx.Result) {
			executed[pc]++
			if r.Redirect {
				skipped[pc]++
			}
		})
		if err != nil {
			return err
		}
		for i, c := range codes {
			if rules[i].KeepOrder != keepOrder {
				continue
			}
			for pc := range executed {
				counts[i] += executed[pc]*uint64(len(c.at[pc])) + skipped[pc]*uint64(len(c.skipped[pc]))
			}
		}
	}
}
