package programs

import (
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
)

// magic begins device code in a program; its size as 8 bytes and the PTX follow. runtime/register.c
// reads it too.
const magic = "COTNPTX1"

// Embed is the form in which a program holds PTX that comes from a source file. What has been compiled
// separately is linked when the program runs; path and text make its static names unique then.
func Embed(path string, text []byte, separate bool) []byte {
	name := filepath.Base(path)
	if separate {
		hash := sha256.Sum256(append([]byte(path+"\x00"), text...))
		suffix := fmt.Sprintf("__static__%x", hash[:8])
		text = withSuffix(text, suffix)
		text = append(text, separateMark+name+" "+suffix+"\n"...)
	} else {
		text = append(bytes.Clone(text), sourceMark+name+"\n"...)
	}
	b := binary.LittleEndian.AppendUint64([]byte(magic), uint64(len(text)))
	return append(b, text...)
}

// These come before the name of the source file, at the end of the PTX; behind it, the suffix of static
// names.
const (
	sourceMark   = "\n// cotenant: compiled from "
	separateMark = "\n// cotenant: compiled separately from "
)

// static matches the names of kernels and variables that are static in C++ (Itanium ABI, 5.1.2: L before the
// length of a name) and that clang makes visible all the same, as the host uses them.
var static = regexp.MustCompile(`\b_Z(?:N\w*?)?L\d\w*`)

// withSuffix ends the static names of PTX with a suffix.
func withSuffix(text []byte, suffix string) []byte {
	return static.ReplaceAllFunc(text, func(name []byte) []byte { return append(bytes.Clone(name), suffix...) })
}

// sourceName is the name of the source file of PTX, "" if it does not say, and whether the PTX is to be
// linked.
func sourceName(text []byte) (name string, separate bool) {
	for _, mark := range []string{separateMark, sourceMark} {
		if at := bytes.LastIndex(text, []byte(mark)); at >= 0 {
			name = string(bytes.TrimSpace(text[at+len(mark):]))
			if separate = mark == separateMark; separate {
				name, _, _ = strings.Cut(name, " ")
			}
			return name, separate
		}
	}
	return "", false
}

// suffixOf is the suffix of static names in PTX, "" if there is none.
func suffixOf(text []byte) string {
	at := bytes.LastIndex(text, []byte(separateMark))
	if at < 0 {
		return ""
	}
	_, suffix, _ := strings.Cut(string(bytes.TrimSpace(text[at+len(separateMark):])), " ")
	return suffix
}

// deviceCode lists the PTX that an executable holds.
func deviceCode(program string) (texts [][]byte, err error) {
	f, err := elf.Open(program)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", program, errNotOurs)
	}
	defer f.Close()
	if f.Section(runtimeSection) == nil {
		return nil, fmt.Errorf("%s: %w", program, errNotOurs)
	}
	section := f.Section(".nv_fatbin")
	if section == nil {
		return nil, nil
	}
	data, err := section.Data()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", program, err)
	}
	for {
		at := bytes.Index(data, []byte(magic))
		if at < 0 || at+16 > len(data) {
			break
		}
		size := binary.LittleEndian.Uint64(data[at+8:])
		data = data[at+16:]
		if size > uint64(len(data)) {
			return nil, fmt.Errorf("%s: its device code is cut off; compile it again", program)
		}
		texts = append(texts, data[:size])
		data = data[size:]
	}
	return texts, nil
}

// runtimeSection is a section that the runtime library has (runtime/connect.c).
const runtimeSection = ".cotenant"

// errNotOurs is of a file that is no program with the runtime library.
var errNotOurs = errors.New("is not linked with cotenant's runtime library; valid: a program that `cotenant cc` has compiled")
