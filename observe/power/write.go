package power

import (
	"encoding/csv"
	"io"
	"strconv"

	"cotenant/experiment"
)

// WriteCSV writes a row for each interval and owner. The rows' joules are the run's.
func (r *Report) WriteCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	_ = c.Write([]string{"cycle", "cycles", "tenant", "name", "watts", "joules", "instructions", "shared", "l1", "l2", "crossbars", "dram", "idle"}) // Error has it
	for i := range r.Intervals {
		span := &r.Intervals[i]
		for k := range span.Tenants {
			o := &span.Tenants[k]
			tenant := ""
			if o.Tenant >= 0 {
				tenant = strconv.Itoa(o.Tenant)
			}
			_ = c.Write([]string{strconv.FormatUint(span.Cycle, 10), strconv.FormatUint(span.Cycles, 10), tenant, o.Name, number(r.Watts(span, k)), number(o.Joules),
				number(o.Instructions), number(o.Shared), number(o.L1), number(o.L2), number(o.Crossbars), number(o.DRAM), number(o.Idle)})
		}
	}
	c.Flush()
	return c.Error()
}

// WriteTable writes each tenant's energy for people to read.
func (r *Report) WriteTable(w io.Writer) error {
	var t experiment.Table
	watts := func(joules float64) experiment.Number {
		return experiment.Number(strconv.FormatFloat(joules/r.Seconds, 'f', 2, 64))
	}
	for i := range r.Tenants {
		o := &r.Tenants[i]
		t.Row("Tenant", o.Name, "Energy mJ", experiment.Number(strconv.FormatFloat(1e3*o.Joules, 'f', 3, 64)), "Watts", watts(o.Joules),
			"Instructions", watts(o.Instructions), "Shared", watts(o.Shared), "L1", watts(o.L1), "L2", watts(o.L2), "Crossbars", watts(o.Crossbars), "DRAM", watts(o.DRAM), "Idle", watts(o.Idle))
	}
	_, err := io.WriteString(w, t.String())
	return err
}
