package cli

import (
	"compress/gzip"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"cotenant/cta_dispatcher/policy"
	"cotenant/experiment"
	"cotenant/observe"
	"cotenant/observe/hotlines"
	"cotenant/observe/page"
	"cotenant/observe/power"
	"cotenant/observe/sample"
	"cotenant/observe/series"
	"cotenant/observe/timeline"
	"cotenant/observe/wave"
	"cotenant/platform/wiring"
	"cotenant/protocol"
	"cotenant/tenant"
)

// defaultWaveInterval is the time between two looks at the queues for a wave, in
// core cycles.
const defaultWaveInterval = 100

// defaultSamplesInterval is the time between two samples, in core cycles.
const defaultSamplesInterval = 1000

// views adds the files that show a run to its outputs, and attaches them to the run,
// which must start once only.
func (f *runFlags) views(c *cobra.Command, r *experiment.Run, o *runOutputs, recorder recorded) error {
	if f.latencies {
		whenStarted(r, func(gpu *wiring.Platform) error {
			gpu.MeasureLatencies()
			return nil
		})
	}
	lines := f.addHot(r, o)
	energy := f.addPower(r, o, recorder)
	if err := f.addPage(c, r, o, recorder, lines, energy); err != nil {
		return err
	}
	for _, view := range []struct {
		flag *outputFlag
		make func(*experiment.Run, io.Writer) (end func(cycles uint64) error, err error)
	}{
		{&f.timeline, f.addTimeline},
		{&f.vcd, f.addWave},
		{&f.samples, f.addSamples},
	} {
		file, err := view.flag.open()
		if err != nil {
			return err
		}
		if file == nil {
			continue
		}
		out, finish, err := stream(file)
		if err != nil {
			return err
		}
		end, err := view.make(r, out)
		if err != nil {
			return err
		}
		o.add(file, func(result *experiment.Result) error { return finish(end(result.End())) })
	}
	return nil
}

// whenStarted adds a function to the calls with the co-run's GPU.
func whenStarted(r *experiment.Run, f func(*wiring.Platform) error) {
	before := r.Started
	r.Started = func(gpu *wiring.Platform) error {
		if before != nil {
			if err := before(gpu); err != nil {
				return err
			}
		}
		return f(gpu)
	}
}

// recorded finds the recorder of a run that has started.
type recorded func() *sample.Recorder

// addRecorder has the co-run sampled if a view needs it.
func (f *runFlags) addRecorder(r *experiment.Run) recorded {
	var recorder *sample.Recorder
	if f.html.given() || f.power.given() || f.overTime {
		whenStarted(r, func(gpu *wiring.Platform) error {
			recorder = sample.Attach(gpu, len(r.Apps), r.Cycles)
			if f.power.given() {
				recorder.CountEvents(r.Warmup)
			}
			return nil
		})
	}
	return func() *sample.Recorder { return recorder }
}

// asJSON is the form of --json, with progress if it is kept.
func (f *runFlags) asJSON(recorder recorded) form[*experiment.Result] {
	if !f.overTime {
		return asJSON
	}
	return func(result *experiment.Result, w io.Writer) error {
		result.OverTime = sample.OverTime(recorder().Samples(result.End()))
		return asJSON(result, w)
	}
}

// addPage adds the page, with lines and energy if they are counted.
func (f *runFlags) addPage(c *cobra.Command, r *experiment.Run, o *runOutputs, recorder recorded, lines func(*experiment.Result) *hotlines.Report,
	energy func(*experiment.Result) (*power.Report, error)) error {
	if !f.html.given() {
		return nil
	}
	preemptions := sample.NewPreemptions()
	r.Listener = observe.Join(r.Listener, preemptions.Listener())
	o.to(&f.html, func(result *experiment.Result, w io.Writer) error {
		p := &page.Report{Result: result, Tenants: r.TenantNames(), Config: *r.GPU, Samples: recorder().Samples(result.End()),
			Preemptions: preemptions, Command: "go run ./platform " + commandLine(c)}
		if lines != nil {
			p.Lines = lines(result)
		}
		if energy != nil {
			var err error
			if p.Energy, err = energy(result); err != nil {
				return err
			}
		}
		return page.Write(w, p)
	})
	return o.err
}

// addTimeline, addWave and addSamples have the run write to out. end completes out after
// the run.
func (f *runFlags) addTimeline(r *experiment.Run, out io.Writer) (end func(cycles uint64) error, err error) {
	t := timeline.New(out, timeline.Options{CoreMHz: r.GPU.Clocks.Core, Tenants: r.TenantNames(), GPU: r.GPU.Name, Policy: r.Policy, Version: r.Version})
	r.Listener = observe.Join(r.Listener, t.Listener())
	r.Host, r.Faults, r.Pager = t.HostListener(), t.FaultListener(), t.PagerListener()
	whenStarted(r, func(gpu *wiring.Platform) error {
		var goals []float64
		for _, p := range gpu.Host.Processes() {
			goals = append(goals, p.Goal)
		}
		t.Goals(goals)
		if f.timelineRequests > 0 {
			gpu.Follow(f.timelineRequests, t.Request)
		}
		return nil
	})
	return t.Close, nil
}

func (f *runFlags) addWave(r *experiment.Run, out io.Writer) (end func(cycles uint64) error, err error) {
	p, err := policy.Parse(r.Policy)
	if err != nil {
		return nil, err
	}
	w := wave.New(out, wave.Options{CoreMHz: r.GPU.Clocks.Core, Tenants: r.TenantNames(), Version: r.Version, Registers: p.Needs().Registers != nil})
	r.Listener = observe.Join(r.Listener, w.Listener())
	whenStarted(r, func(gpu *wiring.Platform) error {
		var sms []wave.SM
		for _, m := range gpu.SMs {
			shown := wave.SM{Component: m, TBs: m.Spec().TBs}
			if policy.Sends[*protocol.Quotas](p) {
				shown.QuotaLeft = func(number int) (int64, bool) { return m.QuotaLeft(tenant.ID(number)) }
			}
			sms = append(sms, shown)
		}
		var counted []wave.Counted
		for _, b := range gpu.Blocks() {
			counted = append(counted, wave.Counted{Module: b.Name, Stats: b.Stats})
		}
		w.Declare(sms, gpu.Components(), counted)
		gpu.Every(f.vcdInterval, w.Sample)
		return nil
	})
	return w.Close, nil
}

func (f *runFlags) addSamples(r *experiment.Run, out io.Writer) (end func(cycles uint64) error, err error) {
	var w *series.Writer
	whenStarted(r, func(gpu *wiring.Platform) error {
		w = series.Attach(out, gpu, r.TenantNames(), f.samplesInterval)
		return nil
	})
	return func(cycles uint64) error { return w.Close(cycles) }, nil
}

// stream starts a file that is written while the simulation runs, compressed if
// its name ends in .gz. Finish must be given the error of writing it.
func stream(file *outputFile) (out io.Writer, finish func(error) error, err error) {
	out, err = file.start()
	if err != nil || !strings.HasSuffix(file.path, ".gz") {
		return out, file.finish, err
	}
	// The fastest level: the simulation waits for it.
	z, err := gzip.NewWriterLevel(out, gzip.BestSpeed)
	return z, func(err error) error {
		if closed := z.Close(); err == nil {
			err = closed
		}
		return file.finish(err)
	}, err
}

// commandLine is a command with the flags that its files depend on.
func commandLine(c *cobra.Command) string {
	args := []string{c.Name()}
	c.Flags().VisitAll(func(f *pflag.Flag) {
		switch f.Name {
		case "monitor", "parallel", "quiet":
			return
		}
		if !f.Changed {
			return
		}
		if f.Value.Type() == "bool" { // the next word is not its value
			args = append(args, "--"+f.Name+strings.TrimSuffix("="+f.Value.String(), "=true"))
			return
		}
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, v := range values {
			args = append(args, "--"+f.Name, v)
		}
	})
	return quoted(args)
}
