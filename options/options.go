// Package options reads the options that users write behind a name, on the command
// line and in files, such as size=tiny&arrival=20us, and whole numbers.
package options

import (
	"fmt"
	"strings"
)

// Option is an option of a user.
type Option struct{ Key, Value string }

// Syntax is the notation of options.
type Syntax struct {
	Joint  string // between two options
	Equals string // between key and value
	Valid  string // the valid options, for messages
}

// Parse reads a list of options, each with a key and a value, and no key twice. An
// error names the faulty option and the valid ones.
func (s Syntax) Parse(list string) (options []Option, err error) {
	given := map[string]bool{}
	for item := range strings.SplitSeq(list, s.Joint) {
		key, value, _ := strings.Cut(item, s.Equals)
		if key == "" || value == "" {
			return nil, s.Invalid(item)
		}
		if given[key] {
			return nil, fmt.Errorf("option %s is given twice; once is enough", key)
		}
		given[key] = true
		options = append(options, Option{key, value})
	}
	return options, nil
}

// Invalid is the error of an option with a wrong form or an unknown key.
func (s Syntax) Invalid(item string) error {
	return fmt.Errorf("invalid option %q; valid: %s", item, s.Valid)
}

// Text writes an option for Parse to read.
func (s Syntax) Text(o Option) string { return o.Key + s.Equals + o.Value }
