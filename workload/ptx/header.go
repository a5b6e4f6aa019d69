package ptx

import (
	"fmt"
	"strconv"
	"strings"

	"cotenant/workload"
)

// minors are the last minor versions of the PTX ISA by major version, from
// major version 2, the first with functions as the emulator runs them (PTX ISA
// 9.1, release history). The first minor version of each is 0.
var minors = []int{2: 3, 3: 2, 4: 3, 5: 0, 6: 5, 7: 8, 8: 8, 9: 1}

const firstMajor = 2

// isVersion reports whether a version of the PTX ISA of that number exists, or could come
// after the last one.
func isVersion(text string) bool {
	for major := firstMajor; major < len(minors); major++ {
		for minor := range minors[major] + 1 {
			if text == fmt.Sprintf("%d.%d", major, minor) {
				return true
			}
		}
	}
	return newer(text)
}

// newer reports whether a version comes after the newest version that the parser knows.
func newer(text string) bool {
	var major, minor int
	if n, err := fmt.Sscanf(text, "%d.%d", &major, &minor); n < 2 || err != nil || text != fmt.Sprintf("%d.%d", major, minor) {
		return false
	}
	last := len(minors) - 1
	return major == last && minor > minors[last] || major > last
}

// versions lists the versions that there are, for messages.
func versions() string {
	var list []string
	for major := firstMajor; major < len(minors); major++ {
		text := fmt.Sprintf("%d.0", major)
		if last := minors[major]; last > 0 {
			text += fmt.Sprintf(" to %d.%d", major, last)
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ") + " and later"
}

// lastVersion is the last version that the parser knows.
func lastVersion() string {
	last := len(minors) - 1
	return fmt.Sprintf("%d.%d", last, minors[last])
}

// isTarget reports whether there is an architecture of that name: sm_ and its
// number, and from 90 on perhaps an a, from 100 on perhaps an f, for code of that
// architecture or its family alone.
func isTarget(text string) bool {
	digits, ok := strings.CutPrefix(text, "sm_")
	least := 0
	if before, specific := strings.CutSuffix(digits, "a"); specific {
		digits, least = before, 90
	} else if before, family := strings.CutSuffix(digits, "f"); family {
		digits, least = before, 100
	}
	n, err := strconv.Atoi(digits)
	return ok && err == nil && n >= least && workload.IsSM(n) && digits == strconv.Itoa(n)
}
