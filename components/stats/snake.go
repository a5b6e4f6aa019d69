package stats

import (
	"strings"
	"unicode"
)

// Snake converts a Go name to snake case. A run of capitals is a word, and so is its
// plural: TBsPlaced is tbs_placed, L1Hits l1_hits.
func Snake(name string) string {
	letters := []rune(name)
	var out strings.Builder
	for i, r := range letters {
		if i > 0 && begins(letters, i) {
			out.WriteByte('_')
		}
		out.WriteRune(unicode.ToLower(r))
	}
	return out.String()
}

// begins reports whether a word of a Go name begins at its letter i.
func begins(letters []rune, i int) bool {
	at := func(i int) rune {
		if i >= len(letters) {
			return 'A' // the end of a name ends a word, too
		}
		return letters[i]
	}
	switch {
	case !unicode.IsUpper(at(i)):
		return false
	case !unicode.IsUpper(at(i - 1)):
		return true // waitCycles; TBsPlaced
	}
	plural := at(i+1) == 's' && unicode.IsUpper(at(i+2))
	return unicode.IsLower(at(i+1)) && !plural // DRAMAccesses, but not TBs
}
