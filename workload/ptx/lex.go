package ptx

import (
	"strings"

	"cotenant/workload"
)

// tokenKind says what a token is.
type tokenKind uint8

const (
	endOfFile   tokenKind = iota
	wordToken             // a name, such as add, %r1 or $L__BB0_1
	dottedToken           // a directive or modifier with its dot, such as .reg, .v4 or .L1::evict_last
	numberToken           // as written: decimal, hex, octal, binary, 0f, 0d, floating point
	quotedToken           // a string with its quotes
	punctToken            // any other character
)

// token is one piece of the text. Its kind and text decide its meaning.
type token struct {
	kind tokenKind
	text string
	line int
	pos  int // bytes from the start of the text
}

// is reports whether the token is the given punctuation, word or directive.
func (t token) is(text string) bool { return t.text == text && t.kind != quotedToken }

// String writes the token for a message.
func (t token) String() string {
	if t.kind == endOfFile {
		return "the end of the file"
	}
	return `"` + clip(t.text) + `"`
}

// clip shortens text for a message and keeps it on one line.
func clip(s string) string {
	const most = 100
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > most {
		s = s[:most] + "..."
	}
	return strings.ToValidUTF8(s, "?")
}

// isLetter reports whether a name may start with the character. It may also
// start with % before such a one.
func isLetter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$'
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isNamePart(c byte) bool { return isLetter(c) || isDigit(c) }

const punctuation = "{}()[]<>,;:+-*/%!~&|^=@?"

// strip cuts off what programs that write text put around it: a byte order mark,
// and the zero that ends a string in C, which NVRTC counts as part of it.
func strip(text string) string {
	return strings.TrimPrefix(strings.TrimRight(text, "\x00"), "\ufeff")
}

// lexer cuts text into tokens. A copy goes on from the same place.
type lexer struct {
	file, text string
	line       int // from 1
	pos        int // of what is still to be read
}

// next returns the next token, endOfFile again and again at the end.
func (l *lexer) next() (token, error) {
	for {
		for l.pos < len(l.text) && strings.IndexByte(" \t\r\n\f\v", l.text[l.pos]) >= 0 {
			if l.text[l.pos] == '\n' {
				l.line++
			}
			l.pos++
		}
		rest := l.text[l.pos:]
		switch {
		case rest == "":
			return token{endOfFile, "", l.line, l.pos}, nil
		case strings.HasPrefix(rest, "//"):
			if n := strings.IndexByte(rest, '\n'); n >= 0 {
				l.pos += n
			} else {
				l.pos = len(l.text)
			}
			continue
		case strings.HasPrefix(rest, "/*"):
			n := strings.Index(rest, "*/")
			if n < 0 {
				return token{}, workload.Errorf(l.file, l.line, "comment without end; valid is /* ... */")
			}
			l.line += strings.Count(rest[:n], "\n")
			l.pos += n + len("*/")
			continue
		}
		k, n := scan(rest)
		if n == 0 {
			if rest[0] == '"' {
				return token{}, workload.Errorf(l.file, l.line, "string without end; valid is \"...\" on one line")
			}
			return token{}, workload.Errorf(l.file, l.line, "character %q; valid are names, numbers, strings and %s", rest[0], punctuation)
		}
		t := token{k, rest[:n], l.line, l.pos}
		l.pos += n
		return t, nil
	}
}

// scan finds the kind and the length of the token that s, which is not empty,
// starts with. Length 0 means none.
func scan(s string) (tokenKind, int) {
	while := func(i int, ok func(byte) bool) int {
		for i < len(s) && ok(s[i]) {
			i++
		}
		return i
	}
	c := s[0]
	switch {
	case isLetter(c), c == '%' && len(s) > 1 && isLetter(s[1]):
		return wordToken, while(1, isNamePart)
	case isDigit(c):
		return numberToken, scanNumber(s)
	case c == '.':
		n := while(1, isNamePart)
		for n > 1 && strings.HasPrefix(s[n:], "::") {
			n = while(n+2, isNamePart)
		}
		if n == 1 {
			return punctToken, 0
		}
		return dottedToken, n
	case c == '"':
		n := strings.IndexAny(s[1:], "\"\n")
		if n < 0 || s[1+n] == '\n' {
			return quotedToken, 0
		}
		return quotedToken, n + 2
	case strings.IndexByte(punctuation, c) >= 0:
		return punctToken, 1
	}
	return punctToken, 0
}

// scanNumber is the length of the number that s starts with, including a
// fraction and an exponent of a decimal one.
func scanNumber(s string) int {
	n := 0
	for n < len(s) && isNamePart(s[n]) {
		n++
	}
	// In 0x1e, 0f3f800000 and the like e is a digit and no fraction follows.
	if s[0] == '0' && n > 1 && !isDigit(s[1]) && s[1] != 'e' && s[1] != 'E' {
		return n
	}
	if n < len(s) && s[n] == '.' {
		n++
		for n < len(s) && isNamePart(s[n]) {
			n++
		}
	}
	if n < len(s) && (s[n] == '-' || s[n] == '+') && (s[n-1] == 'e' || s[n-1] == 'E') {
		n++
		for n < len(s) && isDigit(s[n]) {
			n++
		}
	}
	return n
}
