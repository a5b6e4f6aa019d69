package timeline

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"

	"cotenant/cta_dispatcher/policy"
)

// Goals writes each tenant's goal IPC as a counter that stays, beside the policy's
// registers; 0 stands for a tenant without a goal, which gets no counter. It must be called
// before anything happens.
func (w *Writer) Goals(goals []float64) {
	var list []policy.RegisterValue
	for i, goal := range goals {
		if goal > 0 {
			list = append(list, policy.RegisterValue{Name: "goal IPC", Tenant: i, Value: goal})
		}
	}
	w.policyRegisters(0, list)
}

// policyRegisters writes a policy's registers as counters, one for each name with a value
// of each tenant. It does not repeat an unchanged register.
func (w *Writer) policyRegisters(cycle uint64, list []policy.RegisterValue) {
	for i := range list {
		name := list[i].Name
		if slices.ContainsFunc(list[:i], func(r policy.RegisterValue) bool { return r.Name == name }) {
			continue
		}
		values := w.values(name, list[i:])
		if last, known := w.registers[name]; values == "" || known && last == values {
			continue
		}
		w.registers[name] = values
		w.nameProcess(policyProcess)
		fmt.Fprintf(w.event(), `{"ph":"C","pid":%d,"ts":%s,"name":%s,"args":{%s}}`, policyProcess, microseconds(w.nanoseconds(cycle)), quote(name), values)
	}
}

// values are a register's values by tenant, as members of an object. Values that are not
// numbers, such as a history before there is any, are left out.
func (w *Writer) values(name string, list []policy.RegisterValue) string {
	var text bytes.Buffer
	for _, r := range list {
		if r.Name != name || math.IsNaN(r.Value) || math.IsInf(r.Value, 0) {
			continue
		}
		if text.Len() > 0 {
			text.WriteByte(',')
		}
		of := `"value"`
		if r.Tenant >= 0 {
			of = w.names[r.Tenant]
		}
		fmt.Fprintf(&text, "%s:%s", of, strconv.FormatFloat(r.Value, 'g', -1, 64))
	}
	return text.String()
}
