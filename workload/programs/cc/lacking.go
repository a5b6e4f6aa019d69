package cc

import (
	"bytes"
	"io"
	"regexp"
	"strings"

	"golang.org/x/term"
)

// lacking passes clang's messages on, and notes the header that it did not find.
type lacking struct {
	io.Writer
	line   []byte // so far
	header string
}

var notFound = regexp.MustCompile(`fatal error: (?:\x1b\[[\d;]*m)*'([^']+)' file not found`)

// colours are the options for clang to write to the terminal, if it is one, as if on its own.
func (l *lacking) colours() []string {
	if f, ok := l.Writer.(interface{ Fd() uintptr }); ok && term.IsTerminal(int(f.Fd())) {
		return []string{"-fcolor-diagnostics"}
	}
	return nil
}

// Write looks at whole lines.
func (l *lacking) Write(p []byte) (int, error) {
	l.line = append(l.line, p...)
	end := bytes.LastIndexByte(l.line, '\n')
	if m := notFound.FindSubmatch(l.line[:end+1]); m != nil {
		l.header = string(m[1])
	}
	l.line = l.line[end+1:]
	return l.Writer.Write(p)
}

// libraries says of headers, by how their names begin, where they are to be had.
var libraries = []struct{ headers, advice string }{
	{"cub/ thrust/", "a header of CUB and Thrust; install the Debian package libthrust-dev, or name their folders by -I"},
	{"cublas cufft curand cusolver cusparse cudnn cutensor cutlass nccl npp nvgraph nvjpeg nvml nvtx3/ nvToolsExt", "a header of a library of NVIDIA that cotenant has not"},
	{"cuda/ nv/target", "a header of libcu++, which cotenant has not"},
}

// advice is what to do about the header, or nothing.
func (l *lacking) advice() string {
	for _, library := range libraries {
		for beginning := range strings.FieldsSeq(library.headers) {
			if strings.HasPrefix(l.header, beginning) {
				return l.header + " is " + library.advice
			}
		}
	}
	return ""
}
