package options

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Value is a setting that a flag or a file writes as text. It implements
// pflag.Value.
type Value interface {
	String() string
	// Set reads the text. The error says what would be valid.
	Set(text string) error
	// Type is the placeholder that help shows.
	Type() string
	// Takes completes "it takes ..." in the message on a text that Set refuses.
	Takes() string
}

// Number is a whole number from Least to Most, as Count reads it.
type Number struct {
	Value       *uint64
	Least, Most uint64
}

// Type is N.
func (Number) Type() string { return "N" }

// String writes the number without a unit.
func (n Number) String() string { return strconv.FormatUint(*n.Value, 10) }

// Takes states the range.
func (n Number) Takes() string { return fmt.Sprintf("a whole number from %d to %d", n.Least, n.Most) }

// Set reads a number. It leaves the old one after an error.
func (n Number) Set(text string) error {
	value, err := Count(text, n.Least, n.Most)
	if err == nil {
		*n.Value = value
	}
	return err
}

// Choice is a word out of a few. The empty word stands for the first.
type Choice[T ~string] struct {
	Value *T
	Valid []string
}

// Type lists the words.
func (c Choice[T]) Type() string { return strings.Join(c.Valid, "|") }

// String is the chosen word.
func (c Choice[T]) String() string {
	if *c.Value == "" {
		return c.Valid[0]
	}
	return string(*c.Value)
}

// Takes lists the words.
func (c Choice[T]) Takes() string { return "one of " + strings.Join(c.Valid, ", ") }

// Set chooses a word.
func (c Choice[T]) Set(text string) error {
	if !slices.Contains(c.Valid, text) {
		return fmt.Errorf("valid: %s", strings.Join(c.Valid, ", "))
	}
	*c.Value = T(text)
	return nil
}
