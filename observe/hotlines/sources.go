package hotlines

import (
	"os"
	"strings"
)

// maxSource bounds a file of source text.
const maxSource = 16 << 20

// sources are the lines of files that have been read; nil for a file that cannot be.
type sources map[string][]string

// line is the text of a line of a file, from 1, without space around it; "" if it cannot be
// read.
func (s sources) line(file string, line int) string {
	if file == "" {
		return ""
	}
	lines, known := s[file]
	if !known {
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && info.Size() <= maxSource {
			if text, err := os.ReadFile(file); err == nil {
				lines = strings.Split(string(text), "\n")
			}
		}
		s[file] = lines
	}
	if line < 1 || line > len(lines) {
		return ""
	}
	return strings.ToValidUTF8(strings.TrimSpace(lines[line-1]), "?")
}
