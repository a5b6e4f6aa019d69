package page

import (
	"html/template"

	"cotenant/observe/look"
	"cotenant/sm"
)

// fill is the look of a cause's bars: a grey, and lines on it if the hatch has any.
type fill struct {
	ground string
	hatch  look.Hatch
}

func (f fill) hatched() bool { return f.hatch.Line > 0 }

// css is the fill in a legend.
func (f fill) css() template.CSS {
	if !f.hatched() {
		return template.CSS(f.ground)
	}
	return f.hatch.CSS(f.ground)
}

// ground is the look of the causes of a kind: the first cause has the first slope, and so
// on.
type ground struct {
	colour, ink string
	line, gap   int
	slopes      []int
}

// plain is the slope of no lines.
const plain = -1

// grounds are greys and lines. Work is black and idle time is white. Waits that a program
// causes itself are on light grey, waits for memory and full units on dark grey, waits by
// sharing the SM on black. Broad stripes of black and white are the wait for pages, which
// exceeds all other waits.
var grounds = map[sm.Blame]ground{
	sm.Working: {colour: look.Ink, slopes: []int{plain}},
	sm.Vacant:  {colour: look.White, slopes: []int{plain}},
	sm.Program: {look.Paper, look.Slate, 2, 4, []int{90, 45, 0, 22}},
	sm.Memory:  {look.Slate, look.Paper, 1, 5, []int{plain, 135, 0, 45, 90}},
	sm.Sharing: {look.Ink, look.Paper, 1, 5, []int{45, 90, 0, 135}},
	sm.Paging:  {look.White, look.Ink, 3, 3, []int{135, 45, 0, 90}},
}

// causeFills are the fills of the causes, by number.
var causeFills = func() (fills [sm.NumCauses]fill) {
	used := map[sm.Blame]int{}
	for cause := range sm.NumCauses {
		blame := cause.Info().Blame
		g := grounds[blame]
		fills[cause].ground = g.colour
		if slope := g.slopes[used[blame]%len(g.slopes)]; slope != plain {
			fills[cause].hatch = look.Lines(g.ink, slope, g.line, g.gap)
		}
		used[blame]++
	}
	return fills
}()
