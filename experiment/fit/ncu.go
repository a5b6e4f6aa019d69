// Package fit makes statistical profiles of the counters that Nsight Compute reports.
package fit

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"cotenant/workload"
)

// Launch is a kernel launch of a report: its shape and its metrics by name, in counts and
// bytes.
type Launch struct {
	Kernel  string
	Metrics map[string]float64
}

// scales are factors of the units of metrics; all others count as they are.
var scales = map[string]float64{"Kbyte": 1e3, "Mbyte": 1e6, "Gbyte": 1e9, "Kbyte/block": 1e3}

// Read reads what ncu --csv --page raw writes: messages, a row of names, a row of units,
// and a row for each launch. Errors are *workload.InputError of the file.
func Read(file string, r io.Reader) ([]Launch, error) {
	lines := bufio.NewReader(r)
	skipped := 0
	for { // messages of the profiled program and of ncu
		start, err := lines.Peek(len(`"ID"`))
		if err != nil {
			return nil, workload.Errorf(file, 0, `no row begins with "ID"; valid: the output of ncu --csv --page raw`)
		}
		if string(start) == `"ID"` {
			break
		}
		if _, err := lines.ReadString('\n'); err != nil {
			return nil, workload.Errorf(file, 0, `no row begins with "ID"; valid: the output of ncu --csv --page raw`)
		}
		skipped++
	}
	rows := csv.NewReader(lines)
	names, err := rows.Read()
	if err != nil {
		return nil, workload.Errorf(file, skipped+1, "%v", err)
	}
	units, err := rows.Read()
	if err != nil {
		return nil, workload.Errorf(file, skipped+2, "there is no row of units: %v", err)
	}
	var list []Launch
	for {
		row, err := rows.Read()
		if err == io.EOF {
			break
		}
		line, _ := rows.FieldPos(0)
		if err != nil {
			return nil, workload.Errorf(file, skipped+line, "%v", err)
		}
		l := Launch{Metrics: map[string]float64{}}
		for i, name := range names {
			switch name {
			case "Kernel Name":
				l.Kernel = row[i]
				continue
			case "Block Size", "Grid Size":
				n, err := product(row[i])
				if err != nil {
					return nil, workload.Errorf(file, skipped+line, "%s %q is no size; valid: such as (128, 1, 1)", name, row[i])
				}
				l.Metrics[name] = n
				continue
			}
			if x, err := strconv.ParseFloat(strings.ReplaceAll(row[i], ",", ""), 64); err == nil {
				if scale, ok := scales[units[i]]; ok {
					x *= scale
				}
				l.Metrics[name] = x
			}
		}
		if l.Kernel == "" {
			return nil, workload.Errorf(file, skipped+line, `the launch has no "Kernel Name"`)
		}
		list = append(list, l)
	}
	if len(list) == 0 {
		return nil, workload.Errorf(file, 0, "it has no launch")
	}
	return list, nil
}

// product is the number of elements of a size such as (128, 1, 1).
func product(size string) (float64, error) {
	n := 1.0
	for part := range strings.SplitSeq(strings.Trim(size, "() "), ",") {
		x, err := strconv.ParseUint(strings.TrimSpace(part), 10, 32)
		if err != nil || x == 0 {
			return 0, fmt.Errorf("no size")
		}
		n *= float64(x)
	}
	return n, nil
}
