package experiment

import (
	"math"
	"slices"

	"cotenant/metrics"
	"cotenant/platform/wiring"
)

// SMArea is the area of a GPU's SMs, nil if all are of the base kind (HeteroCore 6.2).
func SMArea(gpu *wiring.Config) (*metrics.SMArea, error) {
	if equal(gpu) {
		return nil, nil
	}
	var kinds []metrics.SMAreaOfKind
	for _, m := range gpu.Kinds() {
		k := metrics.SMAreaOfKind{Kind: m.Kind, WarpSlots: m.Spec.WarpSlots()}
		for _, g := range gpu.SMs {
			if g.Kind == m.Kind {
				k.SMs += g.Count
			}
		}
		kinds = append(kinds, k)
	}
	area, err := metrics.SMAreaOf(gpu.SM.WarpSlots(), kinds)
	return &area, err
}

// Energies are the energies of events in a run on a GPU with SMs of one kind or of several, by
// the table that the GPU names.
func (s *Result) Energies(gpu *wiring.Config) (metrics.EnergyTable, error) {
	named, err := metrics.EnergiesOf(gpu.Energies)
	if err != nil {
		return metrics.EnergyTable{}, err
	}
	table := *named
	area, err := SMArea(gpu)
	if err == nil && area != nil {
		table.Energies = table.WithSMArea(area.Percent).WithRegisters(s.registerAccess(gpu))
	}
	return table, err
}

// registerAccess is the mean energy of an access to registers over the warp instructions, as a
// multiple of that on an SM of the base kind; NaN if there are none.
func (s *Result) registerAccess(gpu *wiring.Config) float64 {
	sum, issued := 0.0, 0.0
	for i, m := range gpu.SMList() {
		if i == len(s.SMs) {
			return math.NaN()
		}
		n := float64(s.SMs[i].WarpInstructions)
		sum += n * metrics.RegisterAccess(float64(m.Spec.Registers)/float64(gpu.SM.Registers))
		issued += n
	}
	return sum / issued
}

// SMEnergy compares the registers' energy of a GPU's SMs with the base kind's; nil if all
// SMs are of the base kind.
func SMEnergy(gpu *wiring.Config) ([]metrics.SMEnergyOfKind, error) {
	if equal(gpu) {
		return nil, nil
	}
	var kinds []metrics.SMEnergyOfKind
	for _, m := range gpu.Kinds() {
		kinds = append(kinds, metrics.SMEnergyOfKind{Kind: m.Kind, Registers: m.Spec.Registers})
	}
	return metrics.SMEnergyOf(gpu.SM.Registers, kinds)
}

// equal reports whether all SMs of a GPU are of the base kind.
func equal(gpu *wiring.Config) bool {
	return !slices.ContainsFunc(gpu.SMs, func(g wiring.SMGroup) bool { return g.Kind != wiring.BaseKind })
}
