package kernels

import (
	"encoding"
	"errors"
	"fmt"
	"math"
	"strings"
)

// FileName is the path of a file to write, in which expressions in braces stand
// for their value.
type FileName struct {
	text string
	// parts are the texts around the expressions, one more than those.
	parts []string
	exprs []Expr
}

var _ encoding.TextUnmarshaler = (*FileName)(nil)

// Takes implements strictyaml.Text.
func (f *FileName) Takes() string {
	return "the path of a file, with expressions in braces, such as out-{turn}.raw"
}

// UnmarshalText implements encoding.TextUnmarshaler. A fault in an expression is
// reported when the manifest is checked.
func (f *FileName) UnmarshalText(text []byte) error {
	*f = FileName{text: string(text)}
	rest := f.text
	for {
		before, after, found := strings.Cut(rest, "{")
		f.parts = append(f.parts, before)
		if !found {
			return nil
		}
		inner, after, closed := strings.Cut(after, "}")
		if !closed || strings.TrimSpace(inner) == "" {
			return errors.New("no expression in braces")
		}
		var e Expr
		if err := e.UnmarshalText([]byte(inner)); err != nil {
			return err
		}
		f.exprs = append(f.exprs, e)
		rest = after
	}
}

func (f *FileName) given() bool { return f.text != "" }

// fixed reports whether the name has no expressions.
func (f *FileName) fixed() bool { return len(f.exprs) == 0 }

// name is the name now.
func (f *FileName) name(s scope) (string, error) {
	name := f.parts[0]
	for k := range f.exprs {
		n, err := f.exprs[k].whole(s, 0, math.MaxInt64)
		if err != nil {
			return "", fmt.Errorf("is %q, in which %w", f.text, err)
		}
		name += fmt.Sprint(n) + f.parts[k+1]
	}
	return name, nil
}
