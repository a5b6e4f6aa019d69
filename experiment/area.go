package experiment

import (
	"slices"

	"cotenant/metrics"
	"cotenant/platform/build"
)

// SMArea is the area of a GPU's SMs, nil if all are of the base kind (HeteroCore 6.2).
func SMArea(gpu *build.Config) (*metrics.SMArea, error) {
	if slices.IndexFunc(gpu.SMs, func(g build.SMGroup) bool { return g.Kind != build.BaseKind }) < 0 {
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
