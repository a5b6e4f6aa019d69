package page

import (
	"fmt"
	"html/template"
	"strconv"

	"cotenant/experiment"
	"cotenant/observe"
	"cotenant/observe/look"
)

// tile is a number at the top of the page.
type tile struct{ Value, Name, About string }

func (r *Report) tiles() []tile {
	s := r.Result
	us := float64(s.Cycles) / float64(r.Config.Clocks.Core)
	return []tile{
		{grouped(s.Cycles), "core cycles", fmt.Sprintf("%s µs at %d MHz", number(us), r.Config.Clocks.Core)},
		{figure(s.STP, number), "system throughput", "STP: sum of normalised IPC"},
		{figure(s.ANTT, number), "mean slow-down", "ANTT: mean of alone over shared"},
		{figure(s.Fairness, number), "fairness", "smallest over largest normalised IPC"},
		{number(s.DRAM.GigabytesPerSec), "GB/s of DRAM", fmt.Sprintf("%s %% of its data buses' time", tenth(100*s.DRAM.Utilization))},
	}
}

// tenantRow is a row of the table of tenants.
type tenantRow struct {
	Name, App, IPC, Isolated, Normalised, NTT, TBs, L1, L2, DRAM string
	Goal, OverGoal, Promise                                      string // a dash without a goal
	Colour                                                       template.CSS
}

func (r *Report) tenantRows() (rows []tenantRow) {
	for i, k := range r.Result.Kernels {
		row := tenantRow{r.Tenants[i], k.App, number(k.IPC), number(k.IsolatedIPC), figure(k.NormalizedIPC, number), figure(k.NTT, number),
			grouped(k.TBsCompleted), figure(100*k.L1.HitRate, tenth), figure(100*k.L2.HitRate, tenth), tenth(100 * k.DRAM.Utilization),
			dashMark, dashMark, dashMark, template.CSS(look.Colour(i))}
		if k.HasGoal() {
			row.Goal, row.OverGoal, row.Promise = number(float64(k.GoalIPC)), figure(k.IPCOverGoal, number), k.Promise()
		}
		rows = append(rows, row)
	}
	return rows
}

// preemptionRow is a row of the table of preemptions.
type preemptionRow struct {
	Tenant, Mechanism, Left, LeftMean, LeftLongest, Finished, Saved string
	Restored, RestoredMean, RestoredLongest, Loaded                 string
}

func (r *Report) preemptionRows() (rows []preemptionRow) {
	for _, p := range r.Preemptions.Rows() {
		rows = append(rows, preemptionRow{r.Tenants[p.Tenant], observe.PreemptionName(p.Mechanism, p.Fault),
			grouped(p.Left.Count), number(p.Left.Mean()), grouped(p.Left.Longest), grouped(p.Finished.Count), kibibytes(p.SavedBytes),
			grouped(p.Restored.Count), number(p.Restored.Mean()), grouped(p.Restored.Longest), kibibytes(p.LoadedBytes)})
	}
	return rows
}

// reservationRow is a row of the table of reserved SMs.
type reservationRow struct{ Mechanism, Count, Mean, Longest, Share string }

func (r *Report) reservationRows() (rows []reservationRow) {
	for _, t := range r.Preemptions.Reservations() {
		share := over(100*float64(t.Cycles), float64(r.Result.Cycles)*float64(r.Config.SMs.Count()))
		rows = append(rows, reservationRow{observe.MechanismName(t.Mechanism), grouped(t.Count), number(t.Mean()), grouped(t.Longest), tenth(share)})
	}
	return rows
}

// dashMark stands for what is not defined.
const dashMark = "–"

// figure is a figure in a form, a dash if it is not defined.
func figure(f experiment.Figure, form func(float64) string) string {
	if !f.Defined() {
		return dashMark
	}
	return form(float64(f))
}

// number has four digits, grouped where there are more before the point.
func number(v float64) string {
	if v >= 1000 {
		return grouped(uint64(v + 0.5))
	}
	return strconv.FormatFloat(rounded(v), 'f', -1, 64)
}

// tenth has one digit after the point.
func tenth(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) }

// grouped has a comma after each three digits.
func grouped(n uint64) string {
	text := strconv.FormatUint(n, 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

func kibibytes(n uint64) string { return number(float64(n) / 1024) }
