package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"cotenant/experiment"
	"cotenant/workload/source"
)

// comparison is one mix under several policies.
type comparison struct {
	gpu      string
	apps     []string
	policies []string
	cycles   uint64
	seed     uint64
	cache    string // of the flag
}

// defaultComparison is what the program does without a command: an application
// that computes and one that waits for memory, by the SMK paper's classes (6.1).
var defaultComparison = comparison{
	gpu:      "gtx980",
	apps:     []string{"sgemm", "lbm"},
	policies: []string{"fcfs", "spart", "even"},
	cycles:   50_000,
	seed:     1,
}

// run runs the mix under each policy and prints what came out.
func (m comparison) run(c *cobra.Command, _ []string) error {
	paths, err := openFiles(c)
	if err != nil {
		return err
	}
	gpu, err := paths.gpu(m.gpu)
	if err != nil {
		return err
	}
	cache, err := paths.cache(m.cache)
	if err != nil {
		return err
	}
	defer closeCache(cache)
	apps, err := paths.apps(m.apps, source.Options{Seed: m.seed, Cache: cache})
	if err != nil {
		return err
	}
	results, err := m.results(c, experiment.Run{GPU: gpu, Apps: apps, Cycles: m.cycles, Seed: m.seed,
		Cache: experiment.NewIsolatedCache(), Version: version()})
	if err != nil {
		return err
	}
	fmt.Fprintf(c.OutOrStdout(), "%s on %s for %d cycles\n", strings.Join(m.apps, " and "), gpu.Name, m.cycles)
	return experiment.WriteTable(c.OutOrStdout(), results...)
}

func (m comparison) results(c *cobra.Command, r experiment.Run) ([]*experiment.Result, error) {
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
