package reproduce

import (
	"fmt"
	"math"

	"cotenant/platform/wiring"
	"cotenant/protocol"
)

func init() { makers["kept lines"] = keptRows }

// tunedQuarters is how many quarters of the L2 the guide keeps of data that are larger than what is set aside: 20 of 40 MB.
const tunedQuarters = 2

// keptRows are the speeds at which data from a quarter of the L2 to one and a half are updated, three quarters being set aside for
// them, over the speeds without.
func keptRows(d *evaluation, _ []Row) (rows []Row) {
	name := d.Scale.GPU
	if d.Scale.Quick && name == d.figure.Setting.GPU {
		name += "?l2.sets=32"
	}
	gpu := d.gpu(name)
	if gpu == nil {
		return nil
	}
	const published = "CUDA C++ Best Practices Guide, tuning the access window hit-ratio"
	l2KB := gpu.L2.Sets * gpu.L2.Ways * protocol.LineBytes * gpu.Address.Slices >> 10
	aside := uint64(l2KB) << 10 / 4 * 3
	best, worst := math.Inf(-1), math.Inf(1)
	for quarters := 1; quarters <= 6; quarters++ {
		kb := l2KB / 4 * quarters
		usual, all := d.passTime(gpu, kb, 0, 0), d.passTime(gpu, kb, aside, 1)
		label := fmt.Sprintf("%s, %d/4 of the L2", name, quarters)
		rows = append(rows, figureRow(label+", kept", "", usual/all))
		if quarters <= 3 {
			best = max(best, usual/all)
			continue
		}
		worst = min(worst, usual/all)
		some := d.passTime(gpu, kb, aside, float64(tunedQuarters)/float64(quarters))
		rows = append(rows, figureRow(label+", half of the L2 kept", "", usual/some))
	}
	most, least := figureRow("most, up to what is set aside", "", best), figureRow("least, beyond", "", worst)
	if d.Scale.GPU == d.figure.Setting.GPU {
		most, least = most.is(1.5, published), least.is(0.9, published)
	}
	return append(rows, most, least)
}

// passTime is the time of a pass, NaN before anything is measured and after an error, which is kept.
func (d *evaluation) passTime(gpu *wiring.Config, kb int, aside uint64, share float64) float64 {
	if d.Measured == nil {
		return math.NaN()
	}
	cycles, err := d.Measured.Kept(gpu, kb, aside, share)
	if err != nil {
		d.fail(err)
		return math.NaN()
	}
	return cycles
}
