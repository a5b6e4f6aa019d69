package experiment

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Isolated is what an application achieves alone.
type Isolated struct {
	IPC float64 // thread instructions per core cycle; 0 if it is not known
	// Turnaround is the mean turnaround time of its completed executions in core
	// cycles, 0 if none has completed.
	Turnaround float64
}

// String writes it as ParseIsolated reads it.
func (i Isolated) String() string {
	text := strconv.FormatFloat(i.IPC, 'g', -1, 64)
	if i.Turnaround > 0 {
		text += "@" + strconv.FormatFloat(i.Turnaround, 'g', -1, 64)
	}
	return text
}

// ParseIsolated reads IPC or IPC@TURNAROUND. An error says what would be valid.
func ParseIsolated(text string) (i Isolated, err error) {
	ipc, turnaround, has := strings.Cut(text, "@")
	number := func(text string) float64 {
		x, e := strconv.ParseFloat(text, 64)
		if e != nil || !(x >= 0) || math.IsInf(x, 0) {
			err = fmt.Errorf("%q is not an isolated IPC; valid: a number above 0, or 0 to measure it, and after an @ the turnaround time in core cycles", ipc)
		}
		return x
	}
	if i.IPC = number(ipc); has {
		i.Turnaround = number(turnaround)
	}
	return i, err
}
