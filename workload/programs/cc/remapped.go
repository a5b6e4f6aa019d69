package cc

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
)

var (
	// parted are the brackets of a launch as nvcc also takes them, with blanks between.
	parted = regexp.MustCompile(`<<[ \t]+<|<[ \t]+<<|>>[ \t]+>|>[ \t]+>>`)
	// late is alignas where C++ does not allow it and nvcc does, behind __shared__, up to its parenthesis.
	late = regexp.MustCompile(`\b((?:(?:static|extern)[ \t]+)?__shared__[ \t]+)alignas[ \t]*\(`)
	// assembly is inline assembly with operands, up to the colon in front of them.
	assembly = regexp.MustCompile(`\b(?:__asm__|__asm|asm)\b\s*(?:(?:volatile|__volatile__|__volatile)\b\s*)?\(\s*(?:"(?:[^"\\\n]|\\.)*"\s*)+:`)
	// special is a register of PTX in it behind a single percent sign, which nvcc takes and clang does not. A
	// letter with a number, as %r1, may be an operand with a modifier.
	special = regexp.MustCompile(`%%|%[a-z][a-z_]+`)
	quoted  = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"`)
)

// remapped are the options by which clang reads other texts instead of a source, and of the files beside it
// that it includes, where it would not take them as they are; none if it takes them all. The texts have the same
// lines, and nearly the same columns. Comments and strings that look alike change as well.
func (d *driver) remapped(path string) (options []string, err error) {
	seen := map[string]bool{path: true}
	for paths := []string{path}; len(paths) > 0; paths = paths[1:] {
		text, err := os.ReadFile(paths[0])
		if err != nil {
			continue // clang says what is wrong with the file
		}
		for _, include := range quoted.FindAllSubmatch(text, -1) {
			if beside := filepath.Join(filepath.Dir(paths[0]), string(include[1])); !seen[beside] {
				seen[beside] = true
				paths = append(paths, beside)
			}
		}
		other := alignedFirst(parted.ReplaceAllFunc(text, together))
		other = assembly.ReplaceAllFunc(other, doubled)
		if bytes.Equal(text, other) {
			continue
		}
		copied := d.temporaryFile("source.cu")
		if err := os.WriteFile(copied, other, 0o600); err != nil {
			return nil, err
		}
		options = append(options, "-Xclang", "-remap-file", "-Xclang", paths[0]+";"+copied)
	}
	return options, nil
}

// together puts the brackets of a launch together, and the blanks behind them.
func together(b []byte) []byte {
	return append(bytes.Repeat(b[:1], 3), bytes.Repeat([]byte(" "), len(b)-3)...)
}

// doubled doubles the percent signs of registers.
func doubled(assembly []byte) []byte {
	return special.ReplaceAllFunc(assembly, func(b []byte) []byte {
		if b[1] == '%' {
			return b
		}
		return append([]byte("%"), b...)
	})
}

// alignedFirst puts alignas and what it holds in front of __shared__.
func alignedFirst(text []byte) []byte {
	text = bytes.Clone(text)
	for at := 0; ; {
		found := late.FindSubmatchIndex(text[at:])
		if found == nil {
			return text
		}
		first, alignas, end := at+found[2], at+found[3], at+found[1]
		for depth := 1; depth > 0; end++ {
			if end == len(text) {
				return text
			}
			switch text[end] {
			case '(':
				depth++
			case ')':
				depth--
			}
		}
		words := bytes.Clone(text[first:alignas])
		at = first + copy(text[first:], text[alignas:end])
		text[at] = ' '
		at += 1 + copy(text[at+1:end], words)
	}
}
