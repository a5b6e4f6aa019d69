// Package options reads what users write behind a name, on the command line and
// in files: options such as size=tiny&arrival=20us, and whole numbers.
package options

import (
	"fmt"
	"strings"
)

// Option is one that a user has written.
type Option struct{ Key, Value string }

// Syntax is how options are written.
type Syntax struct {
	Joint  string // between two options
	Equals string // between key and value
	Valid  string // what is valid, for messages
}

// Parse reads a list of options, each with a key and a value, and no key twice.
// An error says which of them is wrong and what would be valid.
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

// Invalid is the error of an option that is malformed, or whose key is not known.
func (s Syntax) Invalid(item string) error {
	return fmt.Errorf("invalid option %q; valid: %s", item, s.Valid)
}

// Text is an option as Parse reads it.
func (s Syntax) Text(o Option) string { return o.Key + s.Equals + o.Value }
