package reproduce

import (
	"fmt"
	"math"
	"slices"

	"cotenant/components/stats"
	"cotenant/experiment"
	"cotenant/metrics"
	"cotenant/platform/wiring"
)

// eventsOf are the events of a run that take energy; not defined if its result
// lacks a counter.
func eventsOf(r *experiment.Result, gpu *wiring.Config) metrics.Events {
	count := func(of stats.Group, name string) float64 {
		n, ok := of.Total.Get(name)
		if !ok {
			return math.NaN()
		}
		return float64(n)
	}
	sms, requestFlit, replyFlit := r.Stats["sm"], float64(gpu.RequestNoC.FlitBytes), float64(gpu.ReplyNoC.FlitBytes)
	return metrics.Events{
		Seconds:      float64(r.Cycles) / (float64(gpu.Clocks.Core) * 1e6),
		SMs:          float64(len(r.SMs)),
		Instructions: float64(r.ThreadInstructions),
		SharedPasses: count(sms, "lsu_shared_accesses") + count(sms, "lsu_shared_conflicts"),
		L1Accesses:   count(sms, "l1_accesses") + count(sms, "l1_writes") + count(sms, "l1_atomics") + count(sms, "l1_bypasses"),
		// What requests carry are their flits behind the first, which has the header.
		L2Bytes:   count(r.Stats["l2"], "reply_bytes") + requestFlit*float64(r.NoC.RequestFlits-r.NoC.RequestPackets),
		Flits:     (requestFlit*float64(r.NoC.RequestFlits) + replyFlit*float64(r.NoC.ReplyFlits)) / metrics.FlitBytes,
		Activates: float64(r.DRAM.Activates),
		DRAMBytes: float64(r.DRAM.Bytes),
	}
}

// registerAccess is the mean energy of an access to registers over a result's warp
// instructions, as a multiple of that on an SM of the base kind; NaN if there are none.
func registerAccess(r *experiment.Result, gpu *wiring.Config) float64 {
	sum, issued := 0.0, 0.0
	for i, m := range gpu.SMList() {
		if i == len(r.SMs) {
			return math.NaN()
		}
		n := float64(r.SMs[i].WarpInstructions)
		sum += n * metrics.RegisterAccess(float64(m.Spec.Registers)/float64(gpu.SM.Registers))
		issued += n
	}
	return sum / issued
}

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
func (p *point) energy() (c metrics.Energies, events metrics.Events) {
	gpu := p.gpu(p.run.GPU)
	if _, ok := p.fleet(p.Scale.GPU); gpu == nil || !ok {
		return c, events
	}
	area, err := experiment.SMArea(gpu)
	if err != nil {
		p.fail(err)
		return c, events
	}
	c = metrics.Maxwell
	if area != nil {
		c = c.WithSMArea(area.Percent).WithRegisters(registerAccess(p.result, gpu))
	}
	return c, eventsOf(p.result, gpu)
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
