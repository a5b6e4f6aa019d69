package reproduce

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// resamples is the number of draws behind an interval. The ends of a 95 % interval are then
// the 11th lowest and the 11th highest value.
const resamples = 400

// interval is the 95 % bootstrap interval of a row's value over its mixes (Efron, Bootstrap
// Methods, 1979): a row is evaluated again on mixes drawn with replacement. Mixes of the same
// applications with several goals are drawn together, because their values depend on each
// other. It is NaN, NaN where a row shows no mean of at least two mixes, or where more than a
// tenth of the draws have no value. Equal results give equal intervals.
func (d *evaluation) interval(c *cell) (low, high float64) {
	var sets [][]mix
	places := map[string]int{}
	for _, m := range c.mixes {
		name := strings.Join(m.apps, " ")
		if _, seen := places[name]; !seen {
			places[name] = len(sets)
			sets = append(sets, nil)
		}
		sets[places[name]] = append(sets[places[name]], m)
	}
	if len(sets) < 2 || c.extreme != "" || c.metric == nil || c.metric.without != nil {
		return math.NaN(), math.NaN()
	}
	random := rand.New(rand.NewPCG(uint64(len(sets)), 0))
	drawn, values := *c, make([]float64, 0, resamples)
	drawn.mixes = make([]mix, 0, len(c.mixes))
	for range resamples {
		drawn.mixes = drawn.mixes[:0]
		for range sets {
			drawn.mixes = append(drawn.mixes, sets[random.IntN(len(sets))]...)
		}
		if x := d.value(&drawn); !math.IsNaN(x) && !math.IsInf(x, 0) {
			values = append(values, x)
		}
	}
	if 10*len(values) < 9*resamples {
		return math.NaN(), math.NaN()
	}
	slices.Sort(values)
	tail := len(values) / 40
	return values[tail], values[len(values)-1-tail]
}

// made is those of a row's mixes that have all the results that the row takes.
func (d *evaluation) made(c *cell) []mix {
	asked := d.asked
	defer func() { d.asked = asked }()
	list := []mix{}
	for _, m := range c.mixes {
		one := *c
		one.extreme, one.mixes = "", []mix{m}
		d.asked = &asking{seen: map[string]bool{}}
		if d.value(&one); len(d.asked.runs) == 0 {
			list = append(list, m)
		}
	}
	return list
}
