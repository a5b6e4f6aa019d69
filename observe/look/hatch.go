package look

import (
	"fmt"
	"html/template"
	"math"
)

// Hatch is a pattern of parallel lines, which tells things without a colour of their own
// apart.
type Hatch struct {
	Ink string
	// Degrees is the lines' slope: 0 is horizontal, 45 rises to the right, 90 is vertical,
	// 135 falls.
	Degrees int
	// Line is the width of the lines, Gap the width between them, in pixels.
	Line, Gap int
}

// Lines is a hatch with a colour, a slope in degrees, and the widths of the lines and
// between them in pixels.
func Lines(ink string, degrees, line, gap int) Hatch { return Hatch{ink, degrees, line, gap} }

// Decal is the hatch as ECharts draws it.
func (h Hatch) Decal() map[string]any {
	return map[string]any{"symbol": "rect", "symbolSize": 1, "color": h.Ink, "dashArrayX": []int{1, 0}, "dashArrayY": []int{h.Line, h.Gap},
		"rotation": -float64(h.Degrees) * math.Pi / 180}
}

// CSS is the hatch for a style sheet, on a ground of one colour.
func (h Hatch) CSS(ground string) template.CSS {
	// A gradient goes across its lines.
	return template.CSS(fmt.Sprintf("repeating-linear-gradient(%ddeg,%s 0 %dpx,%s 0 %dpx)", -h.Degrees, h.Ink, h.Line, ground, h.Line+h.Gap))
}
