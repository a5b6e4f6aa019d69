package source

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"time"
)

// processOptions describes the options that every application takes, for
// messages and help.
const processOptions = "arrival=TIME (such as 20us, or core cycles), priority=N"

// Limits of the options.
const (
	maxArrival  = 1_000_000_000_000 // core cycles
	maxPriority = 1_000_000
)

// Process is what the options of an application say of the process that runs
// it, whatever its source.
type Process struct {
	Arrival Moment
	// Priority is 0 unless it is given; the larger goes first.
	Priority int
}

// Moment is a time from the start of the simulation: in cycles of a clock, or,
// if Time is not 0, in seconds.
type Moment struct {
	Cycles uint64
	Time   time.Duration
}

// Split takes the options for the process off an application as a user writes
// it: ?arrival=TIME and &priority=N. What is left is for Open. An error says
// what would be valid.
func Split(spec string) (app string, p Process, err error) {
	text, query, ok := cutOptions(spec)
	if !ok {
		return spec, p, nil
	}
	var rest []string
	for item := range strings.SplitSeq(query, "&") {
		key, value, _ := strings.Cut(item, "=")
		switch key {
		case "arrival":
			p.Arrival, err = parseMoment(value)
		case "priority":
			p.Priority, err = strconv.Atoi(value)
			if err != nil || p.Priority < -maxPriority || p.Priority > maxPriority {
				err = fmt.Errorf("a whole number from %d to %d", -maxPriority, maxPriority)
			}
		default:
			if strings.HasPrefix(spec, "traceg:") {
				return "", p, fmt.Errorf("application %q: invalid option %q; valid: %s", spec, item, processOptions)
			}
			rest = append(rest, item)
		}
		if err != nil {
			return "", p, fmt.Errorf("application %q: invalid option %q; valid: %w", spec, item, err)
		}
	}
	if len(rest) > 0 {
		text += "?" + strings.Join(rest, "&")
	}
	return text, p, nil
}

// cutOptions finds the options in an application. A question mark may be part
// of a trace's path: only what follows the last one can be options, unless there
// is such a file.
func cutOptions(spec string) (text, query string, ok bool) {
	path, trace := strings.CutPrefix(spec, "traceg:")
	if !trace {
		return strings.Cut(spec, "?")
	}
	if _, err := os.Stat(path); err == nil {
		return spec, "", false
	}
	last := strings.LastIndex(spec, "?")
	if last < 0 {
		return spec, "", false
	}
	return spec[:last], spec[last+1:], true
}

// parseMoment reads a time with its unit, or cycles without one, to which a k
// or an M may be appended for thousands or millions.
func parseMoment(text string) (m Moment, err error) {
	valid := fmt.Errorf("a time in ns, us or ms, or whole core cycles, from 0 to %d cycles; such as 20us or 200k", uint64(maxArrival))
	for _, u := range []struct {
		suffix string
		unit   time.Duration
	}{{"ns", time.Nanosecond}, {"us", time.Microsecond}, {"ms", time.Millisecond}} {
		if digits, ok := strings.CutSuffix(text, u.suffix); ok {
			n, err := strconv.ParseFloat(digits, 64)
			if err != nil || !(n >= 0) || n > float64(time.Hour/u.unit) {
				return m, valid
			}
			return Moment{Time: time.Duration(math.Round(n * float64(u.unit)))}, nil
		}
	}
	digits, unit := text, uint64(1)
	if before, ok := strings.CutSuffix(text, "k"); ok {
		digits, unit = before, 1000
	} else if before, ok := strings.CutSuffix(text, "M"); ok {
		digits, unit = before, 1_000_000
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	if err != nil || n > maxArrival/unit {
		return m, valid
	}
	return Moment{Cycles: n * unit}, nil
}
