package limits

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// limit is the range of a tag.
type limit struct {
	spans []span
	power bool   // powers of two alone
	unit  string // of messages
}

// span is the numbers from one to another.
type span struct{ least, most int64 }

func (s span) has(n int64) bool { return s.least <= n && n <= s.most }

// String is the span in messages.
func (s span) String() string {
	if s.least == s.most {
		return fmt.Sprint(s.least)
	}
	return fmt.Sprintf("%d to %d", s.least, s.most)
}

func (l *limit) has(n int64) bool {
	return slices.ContainsFunc(l.spans, func(s span) bool { return s.has(n) }) && (!l.power || n&(n-1) == 0)
}

// String is the requirement in messages.
func (l *limit) String() string {
	var words []string
	for _, s := range l.spans {
		words = append(words, s.String())
	}
	last := len(words) - 1
	text := words[last]
	if last > 0 {
		text = strings.Join(words[:last], ", ") + " or " + text
	}
	if l.power {
		text = "a power of two from " + text
		if s := l.spans[0]; s.least == 1 {
			text = fmt.Sprintf("a power of two up to %d", s.most)
		}
	}
	return strings.TrimSpace(text + " " + l.unit)
}

// parse reads the range of a tag. It panics on a malformed tag, a fault of the program.
func parse(text string) (l limit) {
	rest := text
	rest, l.power = strings.CutPrefix(rest, "pow2 ")
	list, unit, _ := strings.Cut(rest, " ")
	l.unit = unit
	for part := range strings.SplitSeq(list, ",") {
		least, most, spans := strings.Cut(part, "..")
		if !spans {
			most = least
		}
		l.spans = append(l.spans, span{number(text, least), number(text, most)})
	}
	return l
}

// number reads a number of a range, such as 16 or 1<<30.
func number(text, digits string) int64 {
	base, shift, _ := strings.Cut(digits, "<<")
	n, err := strconv.ParseInt(base, 10, 64)
	by, _ := strconv.Atoi(shift)
	if err != nil || n > math.MaxInt64>>by {
		panic(fmt.Sprintf("range %q: %q is not a number", text, digits))
	}
	return n << by
}
