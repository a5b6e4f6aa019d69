package ws

import (
	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/policy/sets"
)

// form describes how each kernel's performance scales with its thread blocks.
var form = sets.Form(policy.Curves{Over: "CTAs on an SM", Unit: "of its best",
	About: "Predicted performance of a kernel by its CTAs on an SM, as a part of its best."}, nil,
	sets.Tenant, sets.Threads, sets.CTAs, sets.MostCTAs,
	policy.Column{Name: "scaling.performance", Kind: policy.Curve, Title: "performance"},
	policy.Column{Name: "scaling.predicted", Kind: policy.Number, Title: "of its best, predicted", Detail: true})

// explain tells the findings for the profiled sets.
func (w *ws) explain() []policy.Table {
	if len(w.known) == 0 {
		return nil
	}
	table := policy.Table{Form: form}
	for _, f := range w.known {
		phase := "shared"
		if f.tbs == nil {
			phase = "divided"
		}
		set := policy.Section{Facts: sets.Facts(f == w.last, phase)}
		for k, m := range f.set {
			var performance []float64
			for n := range f.curves[k] {
				performance = append(performance, level(f.curves[k], n))
			}
			kernel := sets.Kernel(m.tenant, m.demand, len(f.curves[k])-1)
			kernel["scaling.performance"], kernel["scaling.predicted"] = performance, 0.0
			if f.tbs != nil {
				kernel["ctas"], kernel["scaling.predicted"] = f.tbs[k], f.levels[k]
			}
			set.Rows = append(set.Rows, kernel)
		}
		table.Sections = append(table.Sections, set)
	}
	return []policy.Table{table}
}
