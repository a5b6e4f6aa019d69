package cli

import (
	"fmt"
	"os"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"cotenant/experiment/reproduce"
	"cotenant/experiment/store"
	"cotenant/experiment/sweep"
	"cotenant/workload"
)

// listExperiments lists the experiments with their runs and times, or the reason if one
// cannot run.
func (f *reproduceFlags) listExperiments(c *cobra.Command) error {
	s, err := f.look()
	if err != nil {
		return err
	}
	var known []*sweep.Known
	if s != nil {
		defer s.Close()
		if known, _, err = sweep.Read(c.Context(), s, func(string) bool { return false }); err != nil {
			return err
		}
	}
	out := tabwriter.NewWriter(c.OutOrStdout(), 0, 0, 2, ' ', 0)
	for _, e := range reproduce.All() {
		fmt.Fprintf(out, "%s\t%s (%s), on %s\n", e.Name, e.About, e.Source, e.Setting.GPU)
		if runs, err := e.Check(f.scale()); err != nil {
			fmt.Fprintf(out, "\tcannot run: %v\n", err)
		} else {
			fmt.Fprintf(out, "\t%s\n", expected(sweep.Outline(runs, known, int(f.parallel))))
		}
	}
	return out.Flush()
}

// look opens the store to read it, if it is there.
func (f *reproduceFlags) look() (*store.Store, error) {
	if _, err := os.Stat(f.store.path); err != nil {
		return nil, nil
	}
	return store.OpenToRead(f.store.path)
}

// first adds the runs of an experiment that follow from no other.
func (f *reproduceFlags) first(plan *sweep.Plan, e *reproduce.Experiment) error {
	for _, r := range e.Runs(f.scale()) {
		if err := plan.Add(r); err != nil {
			return fmt.Errorf("%s: %w", e.Name, err)
		}
	}
	return nil
}

// dry lists the runs of an experiment.
func (f *reproduceFlags) dry(c *cobra.Command, plan *sweep.Plan, e *reproduce.Experiment) error {
	if err := f.first(plan, e); err != nil {
		return err
	}
	s, err := f.look()
	if err != nil {
		return err
	}
	stored := make([]bool, plan.Len())
	if s != nil {
		defer s.Close()
		if stored, _, err = sweep.Stored(s, plan); err != nil {
			return err
		}
	}
	for i, j := range plan.All() {
		state := "to run"
		if stored[i] {
			state = "stored"
		}
		fmt.Fprintf(c.OutOrStdout(), "%s  cotenant %s\n", state, j.Command())
	}
	x, err := sweep.Expect(c.Context(), s, plan, int(f.parallel))
	if err == nil {
		_, err = fmt.Fprintf(c.OutOrStdout(), "\n%s\n", expected(x))
	}
	return err
}

// expected says what a plan still takes.
func expected(x sweep.Expectation) string {
	text := workload.Count(x.Total, "run")
	if x.Stored > 0 {
		text += fmt.Sprintf(", %d stored", x.Stored)
	}
	if missing := x.Total - x.Stored; missing > x.Unknown {
		of := "by the runs of the store"
		if !x.Measured {
			of = fmt.Sprintf("at %.0f cycles/s", x.Rate)
		}
		text += fmt.Sprintf(", about %s %s", roughly(x.Left), of)
	}
	if x.Unknown > 0 {
		text += fmt.Sprintf("; the time of %s to the end is unknown", workload.Count(x.Unknown, "run"))
	}
	return text
}

// roughly rounds a time to what an estimate is worth.
func roughly(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Round(time.Second).Seconds()))
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min", int(d.Round(time.Minute).Minutes()))
	}
	return fmt.Sprintf("%.1f h", d.Hours())
}
