package options

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// units may be appended to a whole number.
var units = []struct {
	letter string
	factor uint64
}{{"k", 1000}, {"M", 1_000_000}}

// Count reads a whole number from least to most; a k or an M behind it means thousands
// or millions. The error says which values are valid.
func Count(text string, least, most uint64) (uint64, error) {
	n, ok := Whole(text)
	if !ok || n > most || n < least {
		return 0, fmt.Errorf("must be a whole number from %d to %d%s", least, most, examples(least, most))
	}
	return n, nil
}

// exact bounds the whole numbers that a floating-point number represents exactly.
const exact = 1 << 53

// Whole reads a whole number from 0 in any notation: 1500, 1.5k, 1.5e3. It reports
// false for other text, and for numbers too large.
func Whole(text string) (uint64, bool) {
	digits, factor := text, uint64(1)
	for _, u := range units {
		if before, ok := strings.CutSuffix(text, u.letter); ok {
			digits, factor = before, u.factor
		}
	}
	if n, err := strconv.ParseUint(digits, 10, 64); err == nil {
		return n * factor, n <= math.MaxUint64/factor
	}
	if strings.Trim(digits, "0123456789.eE+") != "" {
		return 0, false // other notations of floating-point numbers, or no number
	}
	f, err := strconv.ParseFloat(digits, 64)
	f *= float64(factor)
	return uint64(f), err == nil && f <= exact && f == math.Trunc(f)
}

// examples are numbers of the range in the short notation.
func examples(least, most uint64) string {
	var list []string
	for _, u := range units {
		if n := max(least/u.factor+1, 2); n <= most/u.factor {
			list = append(list, fmt.Sprint(n, u.letter))
		}
	}
	if list == nil {
		return ""
	}
	return ", such as " + strings.Join(list, " or ")
}
