package reproduce

import (
	"fmt"
	"math"
	"slices"

	"cotenant/experiment"
	"cotenant/metrics"
	"cotenant/platform/wiring"
)

func init() {
	measures["energy of an instruction"] = &metric{of: func(p *point) float64 {
		c, events := p.energy()
		return c.EnergyPerInstruction(events)
	}}
	measures["power"] = &metric{of: func(p *point) float64 {
		c, events := p.energy()
		return c.Energy(events) / events.Seconds
	}}
	makers["areas"] = areas
}

// energy is what the events of a run take on its GPU, which may have SMs of several kinds,
// and the events.
func (p *point) energy() (c metrics.EnergyTable, events metrics.Events) {
	gpu := p.gpu(p.run.GPU)
	if _, ok := p.fleet(p.Scale.GPU); gpu == nil || !ok {
		return c, events
	}
	c, err := p.result.Energies(gpu)
	if err != nil {
		p.fail(err)
		return c, events
	}
	return c, gpu.Events(p.result.Stats, wiring.All, p.result.Cycles)
}

// hetero8b8s is the GPU with eight big and eight small SMs.
const hetero8b8s = "heterocore-8b8s"

// areas are rows of the area of SMs of the HeteroCore paper's GPUs, or of another that is
// named, and of what the paper prints.
func areas(d *evaluation, _ []Row) (rows []Row) {
	gpus := []string{d.Scale.GPU}
	if d.Scale.GPU == hetero8b8s {
		gpus = append(gpus, "heterocore-4b12s", "heterocore-12b4s")
	}
	for _, name := range gpus {
		config := d.gpu(name)
		if config == nil {
			return nil
		}
		area, err := experiment.SMArea(config)
		if err == nil && area == nil {
			err = fmt.Errorf("GPU %s has SMs of the base kind only; valid: one with others", name)
		}
		if err != nil {
			d.fail(err)
			return nil
		}
		for _, k := range area.Kinds {
			rows = append(rows, row("area of an SM, "+k.Kind+" of "+name, "%", k.Percent))
		}
		rows = append(rows, row("area of all SMs, "+name, "%", area.Percent))
	}
	printed := &metrics.HeteroCorePrinted
	rows = append(rows,
		figureRow("area of the chip, "+hetero8b8s, "%", math.NaN()).is(printed.Chip, "text 6.2"),
		row("speed-up by a 17th SM, at most", "%", 100.0/16).is(6.2, "text 6.2"),
		row("energy of an instruction, homogeneous mixes, implied", "%", metrics.EPIOfOthers(printed.EPI, printed.EPIMixed, 66, 36)).is(printed.EPIHomogeneous, "text 6.2, neutral"),
		row("instructions in the same time, implied", "%", metrics.MoreInstructions(printed.Power, printed.EPI)).is(11, "text 6.1, STP"))
	for label, paper := range map[string]float64{"an SM, big of": printed.BigSM, "an SM, small of": printed.SmallSM, "all SMs,": printed.SMs} {
		if i := slices.IndexFunc(rows, func(r Row) bool { return r.Label == "area of "+label+" "+hetero8b8s }); i >= 0 {
			rows[i] = rows[i].is(paper, "text 6.2")
		}
	}
	return rows
}
