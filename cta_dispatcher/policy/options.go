package policy

import (
	"fmt"
	"slices"
	"strings"

	"cotenant/options"
)

// Options are a policy's option values by name.
type Options map[string]string

// Int is the value of a whole-number option with its limits, which are not
// negative; a k or an M may be appended for thousands or millions.
func (o Options) Int(name string, least, most int) (int, error) {
	n, err := options.Count(o[name], uint64(least), uint64(most))
	if err != nil {
		return 0, fmt.Errorf("option %s=%s: %w", name, o[name], err)
	}
	return int(n), nil
}

// Choice is the value of an option that is one of a few words.
func (o Options) Choice(name string, valid ...string) (string, error) {
	if !slices.Contains(valid, o[name]) {
		return "", fmt.Errorf("option %s=%s: valid: %s", name, o[name], strings.Join(valid, ", "))
	}
	return o[name], nil
}

// Mechanism is the value of an option that names one of a few mechanisms.
func (o Options) Mechanism(name string, valid ...Mechanism) (Mechanism, error) {
	var words []string
	for _, m := range valid {
		words = append(words, m.String())
	}
	word, err := o.Choice(name, words...)
	if err != nil {
		return 0, err
	}
	return valid[slices.Index(words, word)], nil
}

var mechanismNames = [...]string{Switch: "switch", Ideal: "ideal", Drain: "drain", Flush: "flush"}

// String is the mechanism's name, as options spell it.
func (m Mechanism) String() string { return mechanismNames[m] }
