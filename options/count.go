package options

import (
	"fmt"
	"strconv"
	"strings"
)

// units are what may be appended to a whole number.
var units = []struct {
	letter string
	factor uint64
}{{"k", 1000}, {"M", 1_000_000}}

// Count reads a whole number from least to most, to which a k or an M may be
// appended for thousands or millions. The error says what would be valid.
func Count(text string, least, most uint64) (uint64, error) {
	digits, factor := text, uint64(1)
	for _, u := range units {
		if before, ok := strings.CutSuffix(text, u.letter); ok {
			digits, factor = before, u.factor
		}
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	if err != nil || n > most/factor || n*factor < least {
		return 0, fmt.Errorf("must be a whole number from %d to %d%s", least, most, examples(least, most))
	}
	return n * factor, nil
}

// examples are numbers of the range that show how others can be written.
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
