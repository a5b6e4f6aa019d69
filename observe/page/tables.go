package page

import (
	"fmt"
	"strconv"

	"cotenant/experiment"
	"cotenant/observe"
	"cotenant/observe/look"
	"cotenant/platform/instances"
)

// tile is a number at the top of the page.
type tile struct{ Value, Name, About string }

func (r *Report) tiles() []tile {
	s := r.Result
	us := float64(s.Cycles) / float64(r.Config.Clocks.Core)
	return []tile{
		{grouped(s.Cycles), "core cycles", fmt.Sprintf("%s µs at %d MHz", number(us), r.Config.Clocks.Core)},
		{figure(s.STP, number), "system throughput", "STP: sum of normalised IPC"},
		{figure(s.ANTT, number), "mean slow-down", "ANTT: mean of each tenant's time shared over its time alone"},
		{figure(s.Fairness, number), "fairness", "smallest over largest normalised IPC"},
		{number(s.DRAM.GigabytesPerSec), "GB/s of DRAM", fmt.Sprintf("%s %% of its data buses' time", tenth(100*s.DRAM.Utilization))},
	}
}

func (r *Report) tenantRows() (rows []*row) {
	for i, k := range r.Result.Kernels {
		row := r.rowOf(i).text("application", k.App)
		if in := instances.Of(r.Config.Instances, i); in != nil {
			row.text("instance", in.Profile)
		}
		row.numbers("IPC", number(k.IPC), "IPC alone", number(k.IsolatedIPC),
			"normalised IPC", figure(k.NormalizedIPC, number), "slow-down (NTT)", figure(k.NTT, number))
		switch {
		case k.HasGoal():
			row.numbers("goal, IPC", number(float64(k.GoalIPC)), "IPC over goal", figure(k.IPCOverGoal, number), "goal", k.Promise())
		case r.promised():
			row.numbers("goal, IPC", dashMark, "IPC over goal", dashMark, "goal", dashMark)
		}
		rows = append(rows, row.numbers("TBs finished", grouped(k.TBsCompleted), "L1 hits, %", figure(100*k.L1.HitRate, tenth),
			"L2 hits, %", figure(100*k.L2.HitRate, tenth), "DRAM bus, %", tenth(100*k.DRAM.Utilization)))
	}
	return rows
}

func (r *Report) preemptionRows() (rows []*row) {
	for _, p := range r.Preemptions.Rows() {
		rows = append(rows, new(row).text("tenant", r.Tenants[p.Tenant]).text("mechanism", observe.PreemptionName(p.Mechanism, p.Fault)).
			numbers("TBs that left", grouped(p.Left.Count), "after, cycles (mean)", number(p.Left.Mean()), "(longest)", grouped(p.Left.Longest),
				"finished instead", grouped(p.Finished.Count), "saved, KiB", kibibytes(p.SavedBytes), "TBs restored", grouped(p.Restored.Count),
				"after, cycles (mean)", number(p.Restored.Mean()), "(longest)", grouped(p.Restored.Longest), "loaded, KiB", kibibytes(p.LoadedBytes)))
	}
	return rows
}

// reservationRows list reservations of whole SMs.
func (r *Report) reservationRows() (rows []*row) {
	for _, t := range r.Preemptions.Reservations() {
		share := over(100*float64(t.Cycles), float64(r.Result.End())*float64(r.Config.SMs.Count()))
		rows = append(rows, new(row).text("mechanism", observe.MechanismName(t.Mechanism)).numbers("times", grouped(t.Count),
			"reserved, cycles (mean)", number(t.Mean()), "(longest)", grouped(t.Longest), "share of all SMs' time, %", tenth(share)))
	}
	return rows
}

// dashMark stands for an undefined value.
const dashMark = "–"

// figure formats a figure, as a dash if it is undefined.
func figure(f experiment.Figure, form func(float64) string) string {
	if !f.Defined() {
		return dashMark
	}
	return form(float64(f))
}

// number has four digits, or is whole and grouped from 1,000 on.
func number(v float64) string {
	if v >= 1000 {
		return grouped(uint64(v + 0.5))
	}
	return strconv.FormatFloat(look.Rounded(v), 'f', -1, 64)
}

// tenth has one digit after the point.
func tenth(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) }

// grouped has a comma after each three digits.
func grouped(n uint64) string { return inThrees(strconv.FormatUint(n, 10)) }

// inThrees puts a comma after each three digits of a whole number.
func inThrees(text string) string {
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

func kibibytes(n uint64) string { return number(float64(n) / 1024) }
