package page

import (
	"fmt"
	"html/template"
	"path"
	"regexp"
	"strconv"
	"strings"

	"cotenant/observe/hotlines"
	"cotenant/observe/look"
	"cotenant/sm"
)

// shownHotLines bounds the rows of a table of lines; hotTop of them show at first.
const shownHotLines, hotTop = 3000, 20

// hotSection is what the page shows of the lines; zero without them.
type hotSection struct {
	Keys   []key
	Style  template.CSS // of the causes' classes
	Tables []hotTable
}

// hotTable is a table of lines that its reader sorts and searches.
type hotTable struct {
	ID, Title, About string
	Top              int
	Heads            []hotHead
	Rows             []hotRow
}

// hotHead is a column's head; a column without Text is of numbers, Sorted one that the rows
// are in order of.
type hotHead struct {
	Name, About  string
	Text, Sorted bool
}

// hexColour finds the colours of a style sheet.
var hexColour = regexp.MustCompile(`#[0-9a-f]{6}\b`)

type hotRow struct {
	Colour template.CSS // the tenant's
	Cells  []hotCell
	Bar    []hotPart
}

// hotCell is a cell. Value is what it is sorted by, the number in full for a number.
type hotCell struct {
	Shown, Value, Title string
	Text, Code, Bar     bool
}

// hotPart is a cause's part of a row's bar.
type hotPart struct {
	Class, Title string
	Width        template.CSS // in percent
}

func (r *Report) hotSection() (h hotSection) {
	if r.Lines == nil {
		return h
	}
	var style strings.Builder
	for _, cause := range sm.Causes() {
		if cause.Cause != sm.Idle && r.Result.Stalls[cause.Name] > 0 {
			h.Keys = append(h.Keys, key{cause.Shown, causeFills[cause.Cause].css(), ""})
		}
		if cause.Optional && r.Result.Stalls[cause.Name] == 0 {
			continue
		}
		fmt.Fprintf(&style, ".bar .%s { background: %s; }\n", cause.Name, causeFills[cause.Cause].css())
	}
	h.Style = template.CSS(style.String() + "@media screen and (prefers-color-scheme: dark) {\n" + hexColour.ReplaceAllStringFunc(style.String(), look.Dark) + "}\n")
	h.Tables = []hotTable{r.hotTable("hot-lines", "By line", r.Lines.Lines)}
	if sources := r.Lines.BySource(); len(sources) > 0 {
		h.Tables = []hotTable{r.hotTable("hot-sources", "By line of the program's source", sources), h.Tables[0]}
		h.Tables[1].Title = "By line of PTX"
	}
	return h
}

// hotTable makes a table of lines, the lines with the most cycles first.
func (r *Report) hotTable(id, title string, lines []hotlines.Line) hotTable {
	t := hotTable{ID: id, Title: title, Top: hotTop}
	totals, most := make([]uint64, len(r.Tenants)), uint64(1)
	kernels, launches := map[string]bool{}, false
	for i := range lines {
		l := &lines[i]
		totals[l.Tenant] += l.Cycles
		most = max(most, l.Cycles)
		kernels[fmt.Sprint(l.Tenant, " ", l.Kernel)] = true
		launches = launches || l.Launch >= 0
	}
	several := len(kernels) > len(r.Tenants)
	text := func(name, about string) { t.Heads = append(t.Heads, hotHead{name, about, true, false}) }
	number := func(name, about string) { t.Heads = append(t.Heads, hotHead{Name: name, About: about}) }
	text("tenant", "")
	if several {
		text("kernel", "")
	}
	if launches {
		number("launch", "of the tenant, from 0")
	}
	text("line", "file and line, or the PC in bytes from the kernel's first instruction")
	text("text", "")
	t.Heads = append(t.Heads, hotHead{"cycles", "scheduler-cycles charged to the line, by cause", false, true})
	number("%", "part of the scheduler-cycles charged to the tenant")
	number("issues", "warp instructions")
	number("threads each", "active threads of a warp instruction, of 32")
	number("L1 sectors", "sectors of 32 bytes asked of the SM's caches")
	number("L2 sectors", "sectors asked of the L2, or written there")
	number("DRAM sectors", "sectors fetched from DRAM")
	number("conflicts", "extra cycles of shared memory by bank conflicts")
	if len(lines) > shownHotLines {
		t.About = fmt.Sprintf("The %s lines with the most cycles of %s; the file of --hot has all.", grouped(shownHotLines), grouped(uint64(len(lines))))
		lines = lines[:shownHotLines]
	}
	for i := range lines {
		l := &lines[i]
		row := hotRow{Colour: template.CSS(look.Colour(l.Tenant))}
		text := func(shown, title string, code bool) {
			row.Cells = append(row.Cells, hotCell{Shown: shown, Title: title, Text: true, Code: code})
		}
		count := func(n uint64) {
			row.Cells = append(row.Cells, hotCell{Shown: grouped(n), Value: strconv.FormatUint(n, 10)})
		}
		part := func(v float64) {
			row.Cells = append(row.Cells, hotCell{Shown: tenth(v), Value: strconv.FormatFloat(v, 'g', -1, 64)})
		}
		text(r.Tenants[l.Tenant], "", false)
		if several {
			text(l.Kernel, "", false)
		}
		if launches {
			count(uint64(l.Launch))
		}
		place, shown := l.Place(), l.Text
		if id == "hot-sources" {
			place, shown = l.Origin(), l.SourceText
		}
		text(path.Base(place), place, false)
		text(shown, shown, true)
		row.Cells = append(row.Cells, hotCell{Shown: grouped(l.Cycles), Value: strconv.FormatUint(l.Cycles, 10), Bar: true})
		part(over(100*float64(l.Cycles), float64(totals[l.Tenant])))
		count(l.Issues)
		part(over(float64(l.Threads), float64(l.Issues)))
		count(l.L1Sectors)
		count(l.L2Sectors)
		count(l.DRAMSectors)
		count(l.BankConflicts)
		for _, cause := range sm.Causes() {
			if n := l.Stalls[cause.Name]; n > 0 {
				row.Bar = append(row.Bar, hotPart{cause.Name, fmt.Sprintf("%s: %s", cause.Shown, grouped(n)),
					template.CSS(strconv.FormatFloat(100*float64(n)/float64(most), 'f', 2, 64))})
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
