// Package count reads whole numbers as users write them, on the command line
// and in files: 5, 200k, 2M.
package count

import (
	"fmt"
	"strconv"
	"strings"
)

// Parse reads a whole number from least to most, to which a k or an M may be
// appended for thousands or millions. The error says what would be valid.
func Parse(text string, least, most uint64) (uint64, error) {
	digits, unit := text, uint64(1)
	switch {
	case strings.HasSuffix(text, "k"):
		digits, unit = text[:len(text)-1], 1000
	case strings.HasSuffix(text, "M"):
		digits, unit = text[:len(text)-1], 1_000_000
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	if err != nil || n > most/unit || n*unit < least {
		return 0, fmt.Errorf("must be a whole number from %d to %d, such as 5, 200k or 2M", least, most)
	}
	return n * unit, nil
}
