package cli

import (
	"io"
	"sync"

	"cotenant/experiment"
	"cotenant/observe/hotlines"
	"cotenant/platform/wiring"
	"cotenant/sm/hot"
)

// checkHot finds a --hot that cannot be carried out.
func (f *runFlags) checkHot() error {
	switch {
	case f.hotLaunches && !f.hot.given():
		return usagef("--hot-launches is for --hot; valid: both")
	case f.hot.given() && !f.hot.standard() && f.hotForm() == nil:
		return usagef("--hot: %s ends neither in .json nor in .csv; valid: one of them, or - to print the costliest lines", f.hot.path)
	}
	return nil
}

// hotForm is the form of --hot's file, nil if its name does not tell.
func (f *runFlags) hotForm() func(*hotlines.Report, io.Writer) error {
	return formOf(f.hot.path, (*hotlines.Report).WriteCSV)
}

// addHot has the co-run count lines, and writes them for --hot. The function that it returns
// makes the report of the result; it is nil without --hot.
func (f *runFlags) addHot(r *experiment.Run, o *runOutputs) func(*experiment.Result) *hotlines.Report {
	if !f.hot.given() {
		return nil
	}
	var gpu *wiring.Platform
	var lines *hot.Lines
	whenStarted(r, func(p *wiring.Platform) error {
		gpu, lines = p, p.CountLines(f.hotLaunches)
		return nil
	})
	var once sync.Once
	var report *hotlines.Report
	made := func(result *experiment.Result) *hotlines.Report {
		once.Do(func() {
			report = hotlines.New(lines.Rows(), r.TenantNames(), gpu.Driver.KernelNames(), f.hotLaunches)
			report.GPU, report.Policy, report.Version, report.ConfigHash = result.GPU, result.Policy, result.Version, result.ConfigHash
			report.Cycles, report.IdleCycles = result.Cycles, result.Stalls["idle"]
		})
		return report
	}
	if f.hot.standard() {
		o.alsoPrint(func(result *experiment.Result, w io.Writer) error { return made(result).WriteTable(w) })
		return made
	}
	form := f.hotForm()
	o.to(&f.hot, func(result *experiment.Result, w io.Writer) error { return form(made(result), w) })
	return made
}
