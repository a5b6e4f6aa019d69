package workload

import (
	"fmt"
	"strings"
)

// Count is a number of things as messages and tables say it: 1 launch, 2
// launches, 0 entries. The noun is in the singular.
func Count[N int | uint64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	switch stem, y := strings.CutSuffix(noun, "y"); {
	case y && !strings.HasSuffix(stem, "a") && !strings.HasSuffix(stem, "e"):
		noun = stem + "ies"
	case strings.HasSuffix(noun, "ch"), strings.HasSuffix(noun, "x"):
		noun += "es"
	default:
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
