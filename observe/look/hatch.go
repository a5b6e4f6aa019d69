package look

import (
	"fmt"
	"html/template"
	"math"
)

// Hatch is a pattern of parallel lines, with which what has no colour of its own
// is told apart.
type Hatch struct {
	Ink string
	// Degrees is the lines' slope: 0 lies, 45 rises to the right, 90 stands, 135
	// falls.
	Degrees int
	// Line and Gap are how wide the lines are and what is between them, in
	// pixels.
	Line, Gap int
}

// Lines is a hatch of lines of a colour, with a slope in degrees, and the width of
// the lines and of what is between them in pixels.
func Lines(ink string, degrees, line, gap int) Hatch { return Hatch{ink, degrees, line, gap} }

// Decal is the hatch as ECharts draws it.
func (h Hatch) Decal() map[string]any {
	return map[string]any{"symbol": "rect", "symbolSize": 1, "color": h.Ink, "dashArrayX": []int{1, 0}, "dashArrayY": []int{h.Line, h.Gap},
		"rotation": -float64(h.Degrees) * math.Pi / 180}
}

// CSS is the hatch as a style sheet has it, on a ground of one colour.
func (h Hatch) CSS(ground string) template.CSS {
	// A gradient goes across its lines.
	return template.CSS(fmt.Sprintf("repeating-linear-gradient(%ddeg,%s 0 %dpx,%s 0 %dpx)", -h.Degrees, h.Ink, h.Line, ground, h.Line+h.Gap))
}
