package experiment

import (
	"fmt"
	"strings"

	"cotenant/options"
)

// Ends lists the ways in which a run without a window can end, for messages.
const Ends = "done, or replays=N with N from 1 to 1000000"

// maxReplays bounds replays=N.
const maxReplays = 1_000_000

// ParseEnd reads when a run without a window ends: done, once every application
// has run once, or replays=N, once each has completed N times. replays is 0 for
// done. An error says what would be valid.
func ParseEnd(text string) (replays uint64, err error) {
	if text == "done" {
		return 0, nil
	}
	digits, ok := strings.CutPrefix(text, "replays=")
	if n, err := options.Count(digits, 1, maxReplays); ok && err == nil {
		return n, nil
	}
	return 0, fmt.Errorf("valid: %s", Ends)
}
