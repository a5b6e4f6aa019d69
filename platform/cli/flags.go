package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"cotenant/experiment"
	"cotenant/options"
)

// bindCount makes a flag for a whole number between limits, to which a k or an
// M may be appended for thousands or millions.
func bindCount(c *cobra.Command, value *uint64, name string, least, most uint64, usage string) {
	c.Flags().Var(&countValue{value, least, most}, name, usage)
}

type countValue struct {
	value       *uint64
	least, most uint64
}

// Type is what the help shows as the value.
func (*countValue) Type() string { return "N" }

// String is the value; 0, "not given", is not shown as a default.
func (v *countValue) String() string { return fmt.Sprint(*v.value) }

// Set reads the value.
func (v *countValue) Set(text string) error {
	n, err := options.Count(text, v.least, v.most)
	if err != nil {
		return err
	}
	*v.value = n
	return nil
}

// bindChoice makes a flag for one of a few words.
func bindChoice(c *cobra.Command, value *string, name string, valid []string, usage string) {
	c.Flags().Var(&choiceValue{value, valid}, name, usage)
}

type choiceValue struct {
	value *string
	valid []string
}

// Type is what the help shows as the value.
func (v *choiceValue) Type() string { return strings.Join(v.valid, "|") }

// String is the value.
func (v *choiceValue) String() string { return *v.value }

// Set reads the value.
func (v *choiceValue) Set(text string) error {
	if !slices.Contains(v.valid, text) {
		return fmt.Errorf("valid: %s", strings.Join(v.valid, ", "))
	}
	*v.value = text
	return nil
}

// until is when a run without --cycles ends.
type until struct {
	given   bool
	replays uint64 // 0: each application once
}

// bindUntil makes the flag until.
func bindUntil(c *cobra.Command, value *until) {
	c.Flags().Var(value, "until", "done: run each application once, to its end, as without --cycles; replays=N: run them again and again until each has completed N times")
}

// bindMaxCycles makes the flag that bounds runs to the end.
func bindMaxCycles(c *cobra.Command, value *uint64) {
	bindCount(c, value, "max-cycles", 1, maxCycles, "end with an error, and without a result, a run to the end that is not done after so many core cycles")
}

// Type is what the help shows as the value.
func (*until) Type() string { return "done|replays=N" }

// String is the value.
func (u *until) String() string {
	switch {
	case !u.given:
		return ""
	case u.replays == 0:
		return "done"
	}
	return fmt.Sprintf("replays=%d", u.replays)
}

// Set reads the value.
func (u *until) Set(text string) error {
	replays, err := experiment.ParseEnd(text)
	*u = until{given: err == nil, replays: replays}
	return err
}
