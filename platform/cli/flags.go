package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"cotenant/experiment"
	"cotenant/options"
	"cotenant/workload/programs"
)

// bindCount makes a flag for a whole number between limits, to which a k or an
// M may be appended for thousands or millions.
func bindCount(c *cobra.Command, value *uint64, name string, least, most uint64, usage string) {
	c.Flags().Var(options.Number{Value: value, Least: least, Most: most}, name, usage)
}

// bindChoice makes a flag that takes a few words.
func bindChoice(c *cobra.Command, value *string, name string, valid []string, usage string) {
	c.Flags().Var(options.Choice[string]{Value: value, Valid: valid}, name, usage)
}

// bindUnknownOpcode makes the flag for opcodes that the tables do not know.
func bindUnknownOpcode(c *cobra.Command, alu *bool) {
	c.Flags().Var(opcodeValue{alu}, "unknown-opcode", "treat an unknown opcode in a trace as an error, or as an integer instruction")
}

// opcodeValue is the value of --unknown-opcode.
type opcodeValue struct{ alu *bool }

// Type lists the words.
func (opcodeValue) Type() string { return "error|alu" }

// String is the chosen word.
func (v opcodeValue) String() string {
	if *v.alu {
		return "alu"
	}
	return "error"
}

// Set chooses a word.
func (v opcodeValue) Set(text string) error {
	word := ""
	err := options.Choice[string]{Value: &word, Valid: []string{"error", "alu"}}.Set(text)
	*v.alu = word == "alu"
	return err
}

// untilValue is the value of --until.
type untilValue struct{ text *string }

// bindUntil makes the flag until.
func bindUntil(c *cobra.Command, text *string) {
	c.Flags().Var(untilValue{text}, "until", "end of a run without --cycles. done: each application runs once; replays=N: applications restart until each has completed N times")
}

// Type is the placeholder in help.
func (untilValue) Type() string { return "done|replays=N" }

// String is the value.
func (v untilValue) String() string { return *v.text }

// Set checks the value.
func (v untilValue) Set(text string) error {
	replays, err := experiment.ParseEnd(text)
	if err == nil {
		*v.text = experiment.Until(replays)
	}
	return err
}

// bindMaxCycles makes the flag that bounds runs to the end.
func bindMaxCycles(c *cobra.Command, value *uint64) {
	bindCount(c, value, "max-cycles", 1, maxCycles, "fail, without a result, if a simulation to its applications' end takes more than `N` core cycles")
}

// bindHostTimeout makes the flag that bounds the time of a CUDA program's host code.
func bindHostTimeout(c *cobra.Command, value *time.Duration) {
	c.Flags().Var(timeoutValue{value}, "host-timeout", "end a CUDA program that computes, or waits, for `TIME` without a call of CUDA")
}

// timeoutValue is the value of --host-timeout.
type timeoutValue struct{ time *time.Duration }

// Type is the placeholder in help.
func (timeoutValue) Type() string { return "TIME" }

// String is the time.
func (v timeoutValue) String() string {
	if v.time == nil || *v.time == 0 {
		return programs.DefaultCPUTimeout.String()
	}
	return v.time.String()
}

// Set checks the time.
func (v timeoutValue) Set(text string) error {
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return fmt.Errorf("%q is no time; valid: more than 0, such as 90s or 5m", text)
	}
	*v.time = d
	return nil
}

// bindOutside makes the flag for reads next to arrays.
func bindOutside(c *cobra.Command, outside *string) {
	c.Flags().Var(outsideValue{outside}, "outside", "reads of CUDA programs up to 1 MiB outside of an array: error, or zero, because a GPU maps whole pages and lets many such reads pass (default error)")
}

// outsideValue is the value of --outside.
type outsideValue struct{ word *string }

// Type lists the words.
func (outsideValue) Type() string { return "error|zero" }

// String is the word.
func (v outsideValue) String() string { return *v.word }

// Set checks the word.
func (v outsideValue) Set(text string) error {
	_, err := programs.ParseOutside(text)
	*v.word = text
	return err
}

// bindCheck makes the flag that looks for faults in the kernels of CUDA programs.
func bindCheck(c *cobra.Command, list *string) {
	c.Flags().Var(checkValue{list}, "check", "report faults in the kernels of CUDA programs, each with its line of PTX and thread: uninitialized (reads of device memory never written), races (accesses to a byte in no defined order)")
}

// checkValue is the value of --check.
type checkValue struct{ list *string }

// Type lists the words.
func (checkValue) Type() string { return "uninitialized,races" }

// String is the list.
func (v checkValue) String() string { return *v.list }

// Set checks the list.
func (v checkValue) Set(text string) error {
	_, err := programs.ParseCheck(text)
	*v.list = text
	return err
}
