package reproduce

import (
	"math"

	"cotenant/experiment"
)

// improvement is by how much a result is better than another, in percent.
type improvement struct {
	name string
	of   func(r, base *experiment.Result) float64
}

var (
	stpOver  = improvement{"STP", func(r, base *experiment.Result) float64 { return higher(float64(r.STP), float64(base.STP)) }}
	anttOver = improvement{"ANTT", func(r, base *experiment.Result) float64 { return -higher(float64(r.ANTT), float64(base.ANTT)) }}
	// improvements are the two of the paper.
	improvements = []improvement{stpOver, anttOver}
)

// outcome is the result of a mix by a way, and its policy; nil before it is known.
func (d *Data) outcome(w oldWay, mix []string) (best *experiment.Result, policy string) {
	specs, gpu := heteroSpecs(d.Scale, mix), w.machine(d.Scale)
	if w.tried == nil {
		return d.on(gpu, w.policy(d.Scale), specs), w.policy(d.Scale)
	}
	for _, p := range w.tried(d, mix, speedup{}) {
		if r := d.known(gpu, p, specs); r != nil && (best == nil || w.prefers(r) > w.prefers(best)) {
			best, policy = r, p
		}
	}
	return best, policy
}

// better is by how much a mix is better one way than another, NaN where that is not known
// or not defined.
func (d *Data) better(m improvement, w, base oldWay, mix []string) float64 {
	r, _ := d.outcome(w, mix)
	b, _ := d.outcome(base, mix)
	if r == nil || b == nil {
		return math.NaN()
	}
	return m.of(r, b)
}

// betters are those of some mixes.
func (d *Data) betters(m improvement, w, base oldWay, mixes [][]string) (list []float64) {
	for _, mix := range mixes {
		list = append(list, d.better(m, w, base, mix))
	}
	return list
}

// average is the mean, NaN of none.
func average(list []float64) float64 {
	sum := 0.0
	for _, v := range list {
		sum += v
	}
	return sum / float64(len(list))
}

func negated(list []float64) (negative []float64) {
	for _, v := range list {
		negative = append(negative, -v)
	}
	return negative
}

// improved are rows of the mean improvement of groups by ways over another.
func (d *Data) improved(metrics []improvement, groups []oldGroup, base oldWay, ways ...oldWay) (rows []Row) {
	for _, m := range metrics {
		for _, g := range groups {
			for _, w := range ways {
				rows = append(rows, figureRow(m.name+", "+g.name+", "+w.name, "%", average(d.betters(m, w, base, g.mixes))))
			}
		}
	}
	return rows
}

// extremes are rows of the highest and the lowest improvement of a group.
func (d *Data) extremes(metrics []improvement, g oldGroup, base oldWay, ways ...oldWay) (rows []Row) {
	for _, m := range metrics {
		for _, w := range ways {
			list := d.betters(m, w, base, g.mixes)
			rows = append(rows, figureRow(m.name+", highest of "+g.name+", "+w.name, "%", highest(list)),
				figureRow(m.name+", lowest of "+g.name+", "+w.name, "%", lowest(list)))
		}
	}
	return rows
}

// ofEach are rows of the improvement of each mix by ways.
func (d *Data) ofEach(m improvement, mixes [][]string, base oldWay, ways ...oldWay) (rows []Row) {
	for _, mix := range mixes {
		for _, w := range ways {
			rows = append(rows, figureRow(m.name+", "+title(mix)+", "+w.name, "%", d.better(m, w, base, mix)))
		}
	}
	return rows
}
