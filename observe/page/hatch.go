package page

import (
	"fmt"
	"html/template"
	"math"
)

// hatch is a pattern of parallel lines, with which what has no colour of its own
// is told apart.
type hatch struct {
	ink string
	// degrees is the lines' slope: 0 lies, 45 rises to the right, 90 stands, 135
	// falls.
	degrees int
	// line and gap are how wide the lines are and what is between them, in
	// pixels.
	line, gap int
}

// decal is the hatch as ECharts draws it.
func (h hatch) decal() map[string]any {
	return map[string]any{"symbol": "rect", "symbolSize": 1, "color": h.ink, "dashArrayX": []int{1, 0}, "dashArrayY": []int{h.line, h.gap},
		"rotation": -float64(h.degrees) * math.Pi / 180}
}

// css is the hatch as a style sheet has it, on a ground of one colour.
func (h hatch) css(ground string) template.CSS {
	// A gradient goes across its lines.
	return template.CSS(fmt.Sprintf("repeating-linear-gradient(%ddeg,%s 0 %dpx,%s 0 %dpx)", -h.degrees, h.ink, h.line, ground, h.line+h.gap))
}
