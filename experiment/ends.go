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

// ParseEnd reads the end of a run without a window: done, once every application has run
// once, or replays=N, once each has completed N times. replays is 0 for done. An error
// lists the valid ends.
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

// Until writes the end that ParseEnd reads.
func Until(replays uint64) string {
	if replays == 0 {
		return "done"
	}
	return fmt.Sprintf("replays=%d", replays)
}
