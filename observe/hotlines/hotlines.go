// Package hotlines reports what each line of the applications' programs cost in a run: of
// PTX, of the source that a compiler made the PTX from, or of a trace or profile by PC.
package hotlines

import (
	"cmp"
	"fmt"
	"slices"

	"cotenant/components/stats"
	"cotenant/sm/hot"
	"cotenant/sm/tally"
	"cotenant/tenant"
	"cotenant/workload"
)

// Schema is the version of the JSON form.
const Schema = 1

// Report is the lines of a run.
type Report struct {
	Schema  int    `json:"schema"`
	GPU     string `json:"gpu"`
	Policy  string `json:"policy"`
	Version string `json:"version"`
	// ConfigHash is that of the run's result.
	ConfigHash string `json:"config_hash"`
	Cycles     uint64 `json:"cycles"` // core cycles of the run
	// IdleCycles are the scheduler-cycles without a warp, which no line has. The cycles of all
	// lines and these make up the cycles of all schedulers.
	IdleCycles uint64 `json:"idle_cycles"`
	Lines      []Line `json:"lines"` // the lines with the most cycles first
}

// Line is a line's part.
type Line struct {
	Tenant int    `json:"tenant"`
	Name   string `json:"name"`   // of the tenant
	Kernel string `json:"kernel"` // "" for the fetch of a tenant's code
	// Launch is the number of the tenant's launch, from 0; -1 for all launches of the kernel.
	Launch int64 `json:"launch"`
	// File and Line are where the PTX stands; "" and 0 if no file says.
	File string `json:"file"`
	Line int    `json:"line"`
	// Source and SourceLine are what a compiler made the line from, by its line table.
	Source     string `json:"source"`
	SourceLine int    `json:"source_line"`
	// PC is that of the line's first instruction, in bytes from the kernel's first.
	PC   uint32 `json:"pc"`
	Text string `json:"text"` // of the line or, without a file, the instruction
	// SourceText is the text of the line of Source; "" if that file cannot be read.
	SourceText string `json:"source_text"`

	Issues  uint64 `json:"issues"` // warp instructions
	Threads uint64 `json:"lanes"`  // thread instructions
	Cycles  uint64 `json:"cycles"` // scheduler-cycles, the sum of Stalls
	// Stalls are scheduler-cycles by cause, issued among them.
	Stalls        map[string]uint64 `json:"stalls"`
	L1Sectors     uint64            `json:"l1_sectors"`
	L2Sectors     uint64            `json:"l2_sectors"`
	DRAMSectors   uint64            `json:"dram_sectors"`
	BankConflicts uint64            `json:"bank_conflicts"`
	stalls        tally.CauseCounts
}

// Place names the line for people.
func (l *Line) Place() string {
	switch {
	case l.Kernel == "":
		return "code"
	case l.File != "":
		return fmt.Sprintf("%s:%d", l.File, l.Line)
	default:
		return fmt.Sprintf("PC %#x", l.PC)
	}
}

// Origin names the line of the source, "" if it is not known.
func (l *Line) Origin() string {
	if l.Source == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d", l.Source, l.SourceLine)
}

// Mostly is the cause, other than an issue, with the most of the line's cycles; false if
// there is none.
func (l *Line) Mostly() (tally.Cause, bool) {
	best, found := tally.Issued, false
	for c, n := range l.stalls {
		if cause := tally.Cause(c); cause != tally.Issued && n > 0 && (!found || n > l.stalls[best]) {
			best, found = cause, true
		}
	}
	return best, found
}

// identity is what instructions of one line have in common. pc tells apart what is in no file.
type identity struct {
	tenant tenant.ID
	code   uint32
	launch uint64
	file   string
	line   int
	pc     int64
}

// New makes the lines of a run: tenants has the tenants' names, kernels the kernels' names by
// hot.Row.Code. byLaunch says whether rows tell launches apart.
func New(rows []*hot.Row, tenants, kernels []string, byLaunch bool) *Report {
	r := &Report{Schema: Schema}
	at := map[identity]int{}
	texts := sources{}
	var sums []hot.Counts
	for _, row := range rows {
		id := identity{row.Tenant, row.Code, row.Launch, row.Place.File, row.Place.Line, -1}
		if row.Place.File == "" {
			id.pc = int64(row.PC)
		}
		if row.NoCode() {
			id.pc = -2
		}
		n, known := at[id]
		if !known {
			n = len(r.Lines)
			at[id] = n
			l := Line{Tenant: int(row.Tenant), Name: tenants[row.Tenant], Launch: -1, PC: row.PC, File: row.Place.File, Line: row.Place.Line,
				Source: row.Place.Source, SourceLine: row.Place.SourceLine, Text: row.Place.Text, SourceText: texts.line(row.Place.Source, row.Place.SourceLine)}
			if row.NoCode() {
				l.Text = "fetch of code"
			} else {
				l.Kernel = kernels[row.Code]
				if l.Text == "" {
					l.Text = described(row)
				}
				if byLaunch {
					l.Launch = int64(row.Launch)
				}
			}
			r.Lines, sums = append(r.Lines, l), append(sums, hot.Counts{})
		}
		l := &r.Lines[n]
		l.PC = min(l.PC, row.PC)
		stats.Add(&sums[n], &row.Counts)
	}
	for i := range r.Lines {
		r.Lines[i].count(&sums[i])
	}
	slices.SortFunc(r.Lines, func(a, b Line) int {
		return cmp.Or(cmp.Compare(b.Cycles, a.Cycles), cmp.Compare(b.Issues, a.Issues), cmp.Compare(a.Tenant, b.Tenant),
			cmp.Compare(a.Kernel, b.Kernel), cmp.Compare(a.Launch, b.Launch), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.PC, b.PC))
	})
	return r
}

func (l *Line) count(c *hot.Counts) {
	l.Issues, l.Threads, l.L1Sectors, l.L2Sectors, l.DRAMSectors, l.BankConflicts = c.Issues, c.Lanes, c.L1Sectors, c.L2Sectors, c.DRAMSectors, c.BankConflicts
	l.stalls, l.Stalls = c.Stalls, c.Stalls.ByName()
	delete(l.Stalls, tally.Idle.String()) // no line's
	for _, n := range c.Stalls {
		l.Cycles += n
	}
}

// counts are the line's counts, as count takes them.
func (l *Line) counts() hot.Counts {
	return hot.Counts{Issues: l.Issues, Lanes: l.Threads, Stalls: l.stalls, L1Sectors: l.L1Sectors, L2Sectors: l.L2Sectors,
		DRAMSectors: l.DRAMSectors, BankConflicts: l.BankConflicts}
}

// described says what an instruction without a text does.
func described(r *hot.Row) string {
	if r.Class.IsMemory() {
		return r.Class.String() + " " + []string{workload.Global: "global", workload.Shared: "shared", workload.Local: "local", workload.Texture: "texture"}[r.Space]
	}
	return r.Class.String()
}

// BySource sums the lines by the line of the source that they come from, the lines with the most
// cycles first. Lines without a source are left out; none have one if the result is empty.
func (r *Report) BySource() []Line { return r.sums(false) }

// sums is BySource; all keeps the lines without a source, too.
func (r *Report) sums(all bool) (list []Line) {
	type source struct {
		tenant int
		kernel string
		launch int64
		file   string
		line   int
	}
	at := map[source]int{}
	var sums []hot.Counts
	for i := range r.Lines {
		l := &r.Lines[i]
		if l.Source == "" {
			if all {
				list = append(list, *l)
				sums = append(sums, l.counts())
			}
			continue
		}
		s := source{l.Tenant, l.Kernel, l.Launch, l.Source, l.SourceLine}
		n, known := at[s]
		if !known {
			n = len(list)
			at[s] = n
			list, sums = append(list, *l), append(sums, hot.Counts{})
		}
		c := l.counts()
		stats.Add(&sums[n], &c)
	}
	for i := range list {
		list[i].Cycles = 0
		list[i].count(&sums[i])
	}
	slices.SortStableFunc(list, func(a, b Line) int { return cmp.Compare(b.Cycles, a.Cycles) })
	return list
}
