package experiment

import (
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
