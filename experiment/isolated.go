package experiment

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Isolated holds the figures of an application alone.
type Isolated struct {
	IPC float64 // thread instructions per core cycle; 0 if unknown
	// Turnaround is the mean turnaround time of its completed executions in core
	// cycles, 0 before the first.
	Turnaround float64
	// WIPC is warp instructions per cycle of all warp schedulers, which some
	// policies need; 0 if unknown.
	WIPC float64
	// Instructions is the thread instructions of one complete run, which goals in time
	// need; 0 if unknown.
	Instructions uint64
}

// String writes it as ParseIsolated reads it. Without an IPC it is 0, which has the
// application measured again.
func (i Isolated) String() string {
	if i.IPC == 0 {
		return "0"
	}
	text := strconv.FormatFloat(i.IPC, 'g', -1, 64)
	if i.Turnaround > 0 {
		text += "@" + strconv.FormatFloat(i.Turnaround, 'g', -1, 64)
	}
	if i.WIPC > 0 {
		text += ":" + strconv.FormatFloat(i.WIPC, 'g', -1, 64)
	}
	if i.Instructions > 0 {
		text += "#" + strconv.FormatUint(i.Instructions, 10)
	}
	return text
}

// ParseIsolated reads IPC[@TURNAROUND][:WIPC][#INSTRUCTIONS], or 0 for an unknown IPC. An
// error gives the valid form.
func ParseIsolated(text string) (i Isolated, err error) {
	if text == "0" {
		return i, nil
	}
	rest, instructions, hasInstructions := strings.Cut(text, "#")
	rest, wipc, hasWIPC := strings.Cut(rest, ":")
	ipc, turnaround, has := strings.Cut(rest, "@")
	if i.IPC, err = normal(ipc, "an isolated IPC"); err == nil && has {
		i.Turnaround, err = normal(turnaround, "an isolated turnaround time")
	}
	if err == nil && hasWIPC {
		i.WIPC, err = normal(wipc, "an isolated WIPC")
	}
	if err == nil && hasInstructions {
		if i.Instructions, err = strconv.ParseUint(instructions, 10, 64); err != nil || i.Instructions == 0 {
			err = fmt.Errorf("%q is not the thread instructions of one run; valid: a whole number above 0", instructions)
		}
	}
	return i, err
}

// leastNormal is the least number of full precision. Division by far smaller ones
// overflows.
const leastNormal = 0x1p-1022

// normal reads a number above 0 that is neither infinite nor so small that it has
// lost precision.
func normal(text, what string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= leastNormal) || math.IsInf(x, 0) {
		return 0, fmt.Errorf("%q is not %s; valid: a number above 0, as small as %.1e, or 0 to measure it, and after an @ the turnaround time in core cycles, then after a colon the WIPC, and then after a # the thread instructions of one run", text, what, leastNormal)
	}
	return x, nil
}
