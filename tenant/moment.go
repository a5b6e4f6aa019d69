package tenant

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
	"time"

	"cotenant/options"
)

// maxMoment bounds a Moment given in cycles.
const maxMoment = 1_000_000_000_000

// Moment is a time from the start of the simulation: in cycles of the core
// clock, or, if Time is not 0, in seconds.
type Moment struct {
	Cycles uint64
	Time   time.Duration
}

// At is the moment in cycles of a clock of hz, rounded up.
func (m Moment) At(hz uint64) uint64 { return m.Cycles + CyclesOf(m.Time, hz) }

// CyclesOf is a duration in cycles of a clock of hz, rounded up; the largest number
// if it overflows.
func CyclesOf(d time.Duration, hz uint64) uint64 {
	hi, lo := bits.Mul64(uint64(max(d, 0)), hz)
	lo, carry := bits.Add64(lo, uint64(time.Second)-1, 0)
	if hi += carry; hi >= uint64(time.Second) {
		return math.MaxUint64
	}
	cycles, _ := bits.Div64(hi, lo, uint64(time.Second))
	return cycles
}

// parseMoment reads a time with its unit, or cycles without one, to which a k
// or an M may be appended for thousands or millions.
func parseMoment(text string) (m Moment, err error) {
	valid := fmt.Errorf("a time in ns, us or ms, or whole core cycles, from 0 to %d cycles; such as 20us or 200k", uint64(maxMoment))
	d, hasUnit, ok := parseTime(text)
	switch {
	case hasUnit && ok:
		return Moment{Time: d}, nil
	case hasUnit:
		return m, valid
	}
	n, err := options.Count(text, 0, maxMoment)
	if err != nil {
		return m, valid
	}
	return Moment{Cycles: n}, nil
}

// parseTime reads a time in ns, us or ms, from 0 to an hour, to the nanosecond.
func parseTime(text string) (d time.Duration, hasUnit, ok bool) {
	for _, u := range []struct {
		suffix string
		unit   time.Duration
	}{{"ns", time.Nanosecond}, {"us", time.Microsecond}, {"ms", time.Millisecond}} {
		if digits, has := strings.CutSuffix(text, u.suffix); has {
			n, err := strconv.ParseFloat(digits, 64)
			if err != nil || !(n >= 0) || n > float64(time.Hour/u.unit) {
				return 0, true, false
			}
			return time.Duration(math.Round(n * float64(u.unit))), true, true
		}
	}
	return 0, false, false
}
