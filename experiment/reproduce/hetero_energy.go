package reproduce

import (
	"math"

	"cotenant/experiment"
	"cotenant/experiment/sweep"
	"cotenant/metrics"
	"cotenant/platform/build"
)

func init() {
	register(&Experiment{
		Name:   "heterocore-energy",
		About:  "energy of an instruction: the dynamic policy over the conventional GPU in even halves",
		Source: "HeteroCore, text 6.2",
		GPU:    hetero8b8s,
		Notes: heteroNotes + heteroPairNotes + " The paper has GPUWattch; here energy is that of counted events and static power, of which metrics/energy.go has the sources. " +
			"SMs' idle power is as their area, and accesses to registers take as the square root of the register file's size says. Below 0 is less than on the conventional GPU.",
		runs: func(s Scale) []sweep.Run { return heteroRuns(s, heteroMixes(s), viaEven, viaDynamic) },
		rows: func(d *Data) ([]Row, error) {
			over, err := d.energyOver()
			if err != nil {
				return nil, err
			}
			printed := &metrics.HeteroCorePrinted
			return oldPublished{
				"energy of an instruction, heterogeneous, dynamic": {printed.EPIMixed, "text 6.2"},
				"energy of an instruction, homogeneous, dynamic":   {printed.EPIHomogeneous, "text 6.2, neutral"},
				"energy of an instruction, ALL, dynamic":           {printed.EPI, "text 6.2"},
				"power, ALL, dynamic":                              {printed.Power, "text 6.2"},
			}.add(d.improved(over, heteroGroups(d.Scale), viaEven, viaDynamic)), nil
		},
	})
}

// energyOver are by how much a result on the machine with big and small SMs takes more
// than one on the conventional GPU: energy for an instruction, and power.
func (d *Data) energyOver() ([]improvement, error) {
	if _, err := d.fleet(d.Scale.GPU); err != nil {
		return nil, err
	}
	gpu, err := d.GPU(plain(d.Scale))
	if err != nil {
		return nil, err
	}
	base, err := d.GPU(conventional(d.Scale))
	if err != nil {
		return nil, err
	}
	area, err := experiment.SMArea(gpu)
	if err != nil {
		return nil, err
	}
	mixed := metrics.Maxwell.WithSMArea(area.Percent)
	return []improvement{
		{"energy of an instruction", func(r, b *experiment.Result) float64 {
			c := mixed.WithRegisters(registerAccess(r, gpu))
			return higher(c.EnergyPerInstruction(eventsOf(r, gpu)), metrics.Maxwell.EnergyPerInstruction(eventsOf(b, base)))
		}},
		{"power", func(r, b *experiment.Result) float64 {
			c, now, then := mixed.WithRegisters(registerAccess(r, gpu)), eventsOf(r, gpu), eventsOf(b, base)
			return higher(c.Energy(now)/now.Seconds, metrics.Maxwell.Energy(then)/then.Seconds)
		}},
	}, nil
}

// registerAccess is the mean energy of an access to registers over a result's warp
// instructions, as a multiple of that on an SM of the base kind; NaN if there are none.
func registerAccess(r *experiment.Result, gpu *build.Config) float64 {
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
