package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"cotenant/experiment"
)

// comparison is one mix under several policies.
type comparison struct {
	experiment.Spec
	policies []string
	cache    string // of the flag
}

// defaultComparison is the run without a command: an application that computes and one
// that waits for memory, by the SMK paper's classes (6.1).
var defaultComparison = comparison{
	Spec:     experiment.Spec{GPU: "gtx980", Policy: "fcfs", Apps: []string{"sgemm", "lbm"}, Cycles: 50_000, Seed: 1},
	policies: []string{"fcfs", "spart", "even"},
}

// run runs the mix under each policy and prints what came out.
func (m *comparison) run(c *cobra.Command, paths *files, _ []string) error {
	cache, err := paths.cache(m.cache)
	if err != nil {
		return err
	}
	if cache != nil {
		cache.ReplayOnly = true
	}
	r, err := paths.run(&m.Spec, cache)
	if err != nil {
		return err
	}
	r.Cache = &experiment.IsolatedCache{}
	results, err := m.results(c, r)
	if err != nil {
		return err
	}
	fmt.Fprintf(c.OutOrStdout(), "%s on %s for %d cycles\n", strings.Join(m.Apps, " and "), r.GPU.Name, m.Cycles)
	return experiment.WriteTable(c.OutOrStdout(), results...)
}

func (m *comparison) results(c *cobra.Command, r *experiment.Run) ([]*experiment.Result, error) {
	progress := newProgress(c.ErrOrStderr(), false)
	defer progress.clear()
	var results []*experiment.Result
	for _, policy := range m.policies {
		r.Policy = policy
		r.Progress = func(p experiment.Progress) { progress.update(policy+", "+p.Phase, p) }
		result, err := r.Do(c.Context())
		if err != nil {
			return nil, err
		}
		results = append(results, result)
	}
	return results, nil
}
