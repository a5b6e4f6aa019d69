package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
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
	digits, unit := text, uint64(1)
	switch {
	case strings.HasSuffix(text, "k"):
		digits, unit = text[:len(text)-1], 1000
	case strings.HasSuffix(text, "M"):
		digits, unit = text[:len(text)-1], 1_000_000
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	if err != nil || n > v.most/unit || n*unit < v.least {
		return fmt.Errorf("must be a whole number from %d to %d, such as 5, 200k or 2M", v.least, v.most)
	}
	*v.value = n * unit
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
