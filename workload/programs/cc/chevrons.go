package cc

import (
	"os"
	"regexp"
)

// parted are the brackets of a launch as nvcc also takes them, with blanks between.
var parted = regexp.MustCompile(`<<[ \t]+<|<[ \t]+<<|>>[ \t]+>|>[ \t]+>>`)

// remapped are the options by which clang reads another text instead of a source with launches
// that it would not take; none if it takes them all. The text has the same columns and lines.
// Comments and strings with such brackets change as well.
func (d *driver) remapped(path string) ([]string, error) {
	text, err := os.ReadFile(path)
	if err != nil || !parted.Match(text) {
		return nil, nil // clang says what is wrong with the file
	}
	copied := d.temporaryFile("source.cu")
	text = parted.ReplaceAllFunc(text, func(b []byte) []byte {
		joined := []byte{b[0], b[0], b[0]}
		for range len(b) - len(joined) {
			joined = append(joined, ' ')
		}
		return joined
	})
	return []string{"-Xclang", "-remap-file", "-Xclang", path + ";" + copied}, os.WriteFile(copied, text, 0o600)
}
