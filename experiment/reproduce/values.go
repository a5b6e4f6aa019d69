package reproduce

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"unique"

	"cotenant/experiment"
	"cotenant/metrics"
	"cotenant/platform/wiring"
	"cotenant/workload"
)

// metric is a number that figures show of mixes. It sets exactly one function: of, each,
// without or whole.
type metric struct {
	unit string // "" for a ratio
	// of is the number of one mix by one way.
	of func(*point) float64
	// each are several numbers of one mix, such as one for each process.
	each func(*point) []float64
	// without is the number where nothing is simulated for it.
	without func(*point) float64
	// whole is the number of all mixes of a row by a way.
	whole func(*evaluation, *cell, *way) float64
	// also asks for further runs that the number takes.
	also func(*point)

	mean  meanKind
	lower bool // lower is better
	// reached counts only mixes that reach their goals by the way.
	reached bool
	// shown is what a row shows of the mean; nil: the mean.
	shown func(float64) float64
	// best names an entry of bests for ways that search; "": the way's.
	best string
}

// meanKind says how numbers of several mixes become one.
type meanKind int

const (
	arithmetic meanKind = iota
	geometric           // undefined if any number is
	summed              // no mean but the sum
	known               // arithmetic, of the numbers that are defined
)

// point is where a metric is taken: in a mix by a way.
type point struct {
	*evaluation
	way *way
	mix *mix
	of  string // as the entry of the rows says
	run experiment.Spec
	// result is the run's.
	result *experiment.Result
}

// tenant is the number of the application that the rows are of; the first if they are of
// none.
func (p *point) tenant() int { return max(0, slices.Index(p.mix.apps, p.of)) }

// evaluation makes a figure's rows of results.
type evaluation struct {
	*Data
	figure *Experiment
	asked  *asking // collects what is missing; nil if nothing may be
	err    error   // the first

	// What takes long is kept: GPUs and fleets by name, rooms of mixes, samples of runs.
	gpus    map[string]*wiring.Config
	fleets  map[string]fleet
	rooms   map[string]*room
	sampled map[string][]Sample

	// Intervals take the numbers of a mix many times.
	kept     map[numbersKey][]float64
	promised map[promiseKey]metrics.Case
}

// noMix is the key of a mix in no group.
var noMix unique.Handle[string]

// numbersKey identifies the numbers of a mix.
type numbersKey struct {
	metric *metric
	way    *way
	mix    unique.Handle[string]
	of     string
}

// promiseKey identifies what a mix's tenants with goals get.
type promiseKey struct {
	way *way
	mix unique.Handle[string]
}

// newEvaluation evaluates on the machine of the figure, unless the scale names another.
func newEvaluation(d *Data, f *Experiment, asked *asking) *evaluation {
	on := *d
	on.Scale.GPU = cmp.Or(d.Scale.GPU, f.Setting.GPU)
	return &evaluation{Data: &on, figure: f, asked: asked, gpus: map[string]*wiring.Config{}, fleets: map[string]fleet{},
		rooms: map[string]*room{}, sampled: map[string][]Sample{}, kept: map[numbersKey][]float64{}, promised: map[promiseKey]metrics.Case{}}
}

// value is the number of a row, NaN if it is not defined.
func (d *evaluation) value(c *cell) float64 {
	base := d.figure.base(c)
	switch change := changes[c.entry.Change]; {
	case c.extreme != "":
		var list []float64
		for i := range c.mixes {
			one := *c
			one.extreme, one.mixes = "", c.mixes[i:i+1]
			list = append(list, d.value(&one))
		}
		return extremes[c.extreme](list)
	case c.less != nil:
		ours, other := *c, *c
		ours.less, other.less, other.way = nil, nil, c.less
		return d.value(&ours) - d.value(&other)
	case base == nil:
		return applied(c.metric.shown, d.mean(c, c.way))
	case change.mixes != nil:
		return applied(change.shown, d.compared(c, change, base))
	default:
		return change.means(d.mean(c, c.way), d.mean(c, base))
	}
}

// base is what a row is compared with, nil if with nothing.
func (f *Experiment) base(c *cell) *way {
	if c.over == nil && c.entry.Base != "" {
		w, _ := f.way(c.entry.Base)
		return w
	}
	return c.over
}

func applied(by func(float64) float64, x float64) float64 {
	if by == nil {
		return x
	}
	return by(x)
}

// mean is the mean of a row's metric by a way.
func (d *evaluation) mean(c *cell, w *way) float64 {
	if c.metric.whole != nil {
		return c.metric.whole(d, c, w)
	}
	list := make([]float64, 0, len(c.mixes))
	for i := range c.mixes {
		list = append(list, d.numbers(c, w, &c.mixes[i])...)
	}
	if c.mixes == nil { // a metric of nothing that is simulated
		list = d.numbers(c, w, &mix{})
	}
	reached := d.figure.reached(c)
	if c.metric.reached {
		reached = append(reached, w)
	}
	return d.meanOf(c, list, reached)
}

// compared is the mean of how a row's mixes compare with the base.
func (d *evaluation) compared(c *cell, change change, base *way) float64 {
	var list []float64
	for i := range c.mixes {
		ours, others := d.numbers(c, c.way, &c.mixes[i]), d.numbers(c, base, &c.mixes[i])
		for k := range min(len(ours), len(others)) {
			list = append(list, change.mixes(c.metric, ours[k], others[k]))
		}
	}
	if c.mix != "" && len(list) == 1 {
		return list[0]
	}
	return d.meanOf(c, list, d.figure.reached(c))
}

// reached are the ways by which a row's mixes must reach their goals.
func (f *Experiment) reached(c *cell) (list []*way) {
	for _, name := range c.entry.Reached {
		w, _ := f.way(name)
		list = append(list, w)
	}
	return list
}

// meanOf is the mean of a list as the row's metric takes it; where ways are given, of the
// mixes that reach their goals under each.
func (d *evaluation) meanOf(c *cell, list []float64, reached []*way) float64 {
	switch c.metric.mean {
	case geometric:
		return geometricMean(list)
	case summed:
		return sumOf(list)
	case known:
		list = slices.DeleteFunc(list, math.IsNaN)
	}
	if reached == nil {
		return sumOf(list) / float64(len(list))
	}
	var schemes [][]metrics.Case
	for _, w := range reached {
		schemes = append(schemes, d.promises(w, c.mixes))
	}
	return metrics.MeanReached(list, schemes...)
}

// numbers are a row's metric of a mix by a way; NaN before its run is made.
func (d *evaluation) numbers(c *cell, w *way, m *mix) []float64 {
	if d.asked != nil || m.key == noMix {
		return d.fresh(c, w, m)
	}
	key := numbersKey{c.metric, w, m.key, c.of}
	list, ok := d.kept[key]
	if !ok {
		list = d.fresh(c, w, m)
		d.kept[key] = list
	}
	return list
}

// fresh takes the numbers from the result.
func (d *evaluation) fresh(c *cell, w *way, m *mix) []float64 {
	p := &point{evaluation: d, way: w, mix: m, of: c.of}
	if c.metric.without != nil {
		if d.asked != nil { // it may take long, and asks for nothing
			return []float64{math.NaN()}
		}
		return []float64{c.metric.without(p)}
	}
	p.result, p.run = d.outcome(w, m, c.metric.best)
	if c.metric.also != nil {
		c.metric.also(p)
	}
	switch {
	case p.result == nil:
		return []float64{math.NaN()}
	case c.metric.each != nil:
		return c.metric.each(p)
	}
	return []float64{c.metric.of(p)}
}

// outcome is the result of a mix by a way, and its run. Of the policies that a way tries
// it is the best, of equals the first; nil before one is known.
func (d *evaluation) outcome(w *way, m *mix, best string) (*experiment.Result, experiment.Spec) {
	gpu := d.figure.machineOf(d.Scale, w)
	if w.Like != "" {
		other, _ := d.figure.way(w.Like)
		found, run := d.outcome(other, m, best)
		if found == nil {
			return nil, run
		}
		run = d.figure.run(d.Scale, gpu, run.Policy, w, m)
		return d.ask(run), run
	}
	if w.Policies == "" {
		run := d.figure.run(d.Scale, gpu, w.Policy.at(d.figure.long(d.Scale)), w, m)
		return d.ask(run), run
	}
	best = cmp.Or(best, w.Best)
	var found *experiment.Result
	var made experiment.Spec
	value := math.NaN()
	for _, policy := range searches[w.Policies](d, w, m, best) {
		run := d.figure.run(d.Scale, gpu, policy, w, m)
		r := d.ask(run)
		if r == nil {
			continue
		}
		if v := d.good(r, m, best); found == nil || v > value {
			found, made, value = r, run, v
		}
	}
	return found, made
}

// good is how good a result is in what is looked for, 0 where nothing is.
func (d *evaluation) good(r *experiment.Result, m *mix, best string) float64 {
	if best == "" {
		return 0
	}
	return bests[best](d, r, m)
}

// asking collects what an evaluation of rows finds missing.
type asking struct {
	runs []experiment.Spec
	seen map[string]bool
}

// ask returns the result of a run; nil if there is none, which is then asked for.
func (d *evaluation) ask(r experiment.Spec) *experiment.Result {
	k := keyOf(r)
	result := d.results[k]
	switch {
	case result != nil:
	case d.asked == nil:
		d.fail(fmt.Errorf("%s was not simulated", r.String()))
	case !d.asked.seen[k]:
		d.asked.seen[k] = true
		d.asked.runs = append(d.asked.runs, r)
	}
	return result
}

// fail keeps the first error of an evaluation.
func (d *evaluation) fail(err error) {
	if d.err == nil {
		d.err = err
	}
}

// gpu is the parameters of a GPU; nil after an error, which is kept.
func (d *evaluation) gpu(name string) *wiring.Config {
	if d.GPU == nil {
		d.fail(errors.New("no GPU can be looked up"))
		return nil
	}
	if config := d.gpus[name]; config != nil {
		return config
	}
	config, err := d.GPU(name)
	if err != nil {
		d.fail(err)
		return nil
	}
	d.gpus[name] = config
	return config
}

// kernels are the known launches of an application; nil after an error, which is kept.
func (d *evaluation) kernels(spec string) []*workload.Kernel {
	list, err := kernelsOf(spec)
	if err != nil {
		d.fail(err)
	}
	return list
}

// More lists what is to be simulated beside what has been, by the results so far: what
// searches try, and what is set by what other runs found; nothing at last.
func (f *Experiment) More(d *Data) []experiment.Spec {
	e := newEvaluation(d, f, &asking{seen: map[string]bool{}})
	for _, c := range f.cells(e.Scale) {
		if c.entry.Make == "" {
			e.value(&c)
		}
	}
	return e.asked.runs
}

// Rows makes the rows of the results.
func (f *Experiment) Rows(d *Data) (rows []Row, err error) {
	e := newEvaluation(d, f, nil)
	for _, c := range f.cells(e.Scale) {
		if c.entry.Make != "" {
			rows = append(rows, makers[c.entry.Make](e, rows)...)
			continue
		}
		count := len(c.mixes)
		if d.Partial && count > 0 {
			c.mixes = e.made(&c)
		}
		r := figureRow(c.label(), f.unit(&c), e.value(&c))
		low, high := e.interval(&c)
		r.Mixes, r.OfMixes, r.Low, r.High = len(c.mixes), count, defined(low), defined(high)
		rows = append(rows, f.print(c.key(), r))
	}
	return rows, e.err
}

// unit is that of a row.
func (f *Experiment) unit(c *cell) string {
	switch {
	case c.entry.Unit != "":
		return c.entry.Unit
	case c.less != nil:
		return "points"
	case f.base(c) != nil:
		return changes[c.entry.Change].unit
	}
	return c.metric.unit
}
