package policy

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cotenant/options"
)

// Options reads the values of a policy's options, each by its kind. An invalid value reads as
// the zero of its kind; Parse returns the errors of all values.
type Options struct {
	values map[string]string
	errs   []error
}

// NewOptions makes the options of these values.
func NewOptions(values map[string]string) *Options { return &Options{values: values} }

// Err joins the errors of the values read so far.
func (o *Options) Err() error { return errors.Join(o.errs...) }

// Text is an option's value as written.
func (o *Options) Text(name string) string { return o.values[name] }

// Invalid notes that an option's value is not valid, and lists valid ones.
func (o *Options) Invalid(name, valid string) {
	o.Fail(fmt.Errorf("option %s=%s: valid: %s", name, o.values[name], valid))
}

// Fail notes an error of the options.
func (o *Options) Fail(err error) { o.errs = append(o.errs, err) }

// Int reads a whole number within limits, which are not negative; a suffix k or M stands for
// thousands or millions.
func (o *Options) Int(name string, least, most int) int {
	n, err := options.Count(o.values[name], uint64(least), uint64(most))
	if err != nil {
		o.Fail(fmt.Errorf("option %s=%s: %w", name, o.values[name], err))
		return 0
	}
	return int(n)
}

// Cycles reads a time in core cycles like Int, up to 1000M.
func (o *Options) Cycles(name string, least int) uint64 {
	return uint64(o.Int(name, least, 1_000_000_000))
}

// Float reads a number within limits; the error shows the example.
func (o *Options) Float(name string, least, most, example float64) float64 {
	v, err := strconv.ParseFloat(o.values[name], 64)
	if err != nil || !(v >= least && v <= most) {
		o.Invalid(name, fmt.Sprintf("a number from %v to %v, such as %v", least, most, example))
		return 0
	}
	return v
}

// Ints reads a list of whole numbers like List. The error shows the example.
func (o *Options) Ints(name, word string, least, most int, example string) []int {
	return List(o, name, word, fmt.Sprintf("whole numbers from %d to %d such as %s", least, most, example), func(item string) (int, bool) {
		n, err := strconv.Atoi(item)
		return n, err == nil && n >= least && n <= most
	})
}

// List reads a list with slashes between its items. The word stands for no list: nil. The
// error tells valid lists.
func List[T any](o *Options, name, word, valid string, read func(item string) (value T, ok bool)) (list []T) {
	if o.values[name] == word {
		return nil
	}
	for item := range strings.SplitSeq(o.values[name], "/") {
		value, ok := read(item)
		if !ok {
			o.Invalid(name, word+", or "+valid)
			return nil
		}
		list = append(list, value)
	}
	return list
}

// Choice reads a word of a short list.
func (o *Options) Choice(name string, valid ...string) string {
	if !slices.Contains(valid, o.values[name]) {
		o.Invalid(name, strings.Join(valid, ", "))
		return ""
	}
	return o.values[name]
}

// The values of an option that On reads.
const (
	On  = "on"
	Off = "off"
)

// On reports whether an option is on; it may be off.
func (o *Options) On(name string) bool { return o.Choice(name, On, Off) == On }

// Mechanism reads the name of a mechanism.
func (o *Options) Mechanism(name string, valid ...Mechanism) Mechanism {
	m, _ := o.MechanismOr("", name, valid...)
	return m
}

// MechanismOr reads the name of a mechanism, or a word for none: then ok is false.
func (o *Options) MechanismOr(word, name string, valid ...Mechanism) (m Mechanism, ok bool) {
	var words []string
	if word != "" {
		words = append(words, word)
	}
	for _, m := range valid {
		words = append(words, m.String())
	}
	switch chosen := o.Choice(name, words...); chosen {
	case "", word:
		return 0, false
	default:
		return Mechanism(slices.Index(mechanismNames[:], chosen)), true
	}
}

var mechanismNames = [...]string{Switch: "switch", Ideal: "ideal", Drain: "drain", Flush: "flush"}

// String returns the mechanism's name as options spell it.
func (m Mechanism) String() string { return mechanismNames[m] }
