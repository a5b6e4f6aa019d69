package page

import (
	"html/template"

	"cotenant/observe/look"
	"cotenant/sm"
)

// fill is how a cause's bars look: a grey, and lines on it if the hatch has any.
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

// causeFills are greys and lines. Work is black and nothing to do is white; on
// light grey is what a program does to itself, on dark grey what memory and
// units that are full do to it, on black what sharing the SM does. Broad stripes of
// black and white are the wait for pages, beside which all others are short.
var causeFills = [sm.NumCauses]fill{
	sm.Issued:      {ground: look.Ink},
	sm.Idle:        {ground: look.White},
	sm.Control:     {look.Paper, look.Lines(look.Slate, 90, 2, 4)},
	sm.RAWOther:    {look.Paper, look.Lines(look.Slate, 45, 2, 4)},
	sm.RAWLong:     {ground: look.Slate},
	sm.LSUFull:     {look.Slate, look.Lines(look.Paper, 135, 1, 5)},
	sm.PipeFull:    {look.Slate, look.Lines(look.Paper, 0, 1, 5)},
	sm.Quota:       {look.Ink, look.Lines(look.Paper, 45, 1, 5)},
	sm.Preempted:   {look.Ink, look.Lines(look.Paper, 90, 1, 5)},
	sm.Bubble:      {look.Ink, look.Lines(look.Paper, 0, 1, 5)},
	sm.GroupSwitch: {look.Slate, look.Lines(look.Paper, 45, 1, 5)},
	sm.Faulted:     {look.White, look.Lines(look.Ink, 135, 3, 3)},
}

// causeNames say what a scheduler's cycle went to.
var causeNames = [sm.NumCauses]string{
	sm.Issued:      "issued",
	sm.Idle:        "no warp",
	sm.Control:     "fetch or barrier",
	sm.RAWLong:     "waits for memory",
	sm.RAWOther:    "waits for a result",
	sm.LSUFull:     "load-store unit full",
	sm.PipeFull:    "pipe full",
	sm.Quota:       "quota used up",
	sm.Preempted:   "being preempted",
	sm.Bubble:      "scheduler picks none",
	sm.GroupSwitch: "other group's turn",
	sm.Faulted:     "waits for a page fault",
}
