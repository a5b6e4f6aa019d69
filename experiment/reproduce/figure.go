package reproduce

import (
	"fmt"
	"math/big"
	"strings"

	"cotenant/workload/strictyaml"
)

// Experiment is a published figure or table as its file tells it: what is compared, and the
// rows. What is simulated follows from the rows.
type Experiment struct {
	Name   string `yaml:"-"`      // as on the command line
	Paper  string `yaml:"paper"`  // the file in papers with its setting
	About  string `yaml:"about"`  // what it shows, in a line
	Source string `yaml:"source"` // paper, and figure or table
	// Notes say where what is run differs from what the paper ran. {NAME} stands for a note
	// of the paper.
	Notes string `yaml:"notes"`
	// From is where published values stand that do not say so themselves.
	From      string      `yaml:"from"`
	Setting   setting     `yaml:",inline"`
	Entries   []rowsOf    `yaml:"rows"`
	Published []published `yaml:"published"`

	paper   *paper
	at      strictyaml.Positions
	printed []printed // all published values
}

// paper is what its figures have in common.
type paper struct {
	ApplicationsOf string  `yaml:"applications_of"` // another paper with its applications
	Setting        setting `yaml:",inline"`
	Notes          []note  `yaml:"notes"`

	at strictyaml.Positions
}

// note is words that several figures have in their notes.
type note struct {
	Name string `yaml:"name"`
	Text string `yaml:"text"`
}

// names is a list of names. A single name may stand without brackets.
type names []string

// Short is the one.
func (n *names) Short() any {
	*n = names{""}
	return &(*n)[0]
}

// Takes completes the message on what is neither.
func (*names) Takes() string { return "a name, or a list of names" }

// numbers is a list of numbers. A single number may stand without brackets.
type numbers []number

// Short is the one.
func (n *numbers) Short() any {
	*n = numbers{0}
	return &(*n)[0]
}

// Takes completes the message on what is neither.
func (*numbers) Takes() string { return "a number, or a list of numbers" }

// number may be written as a quotient: 186 / 900.
type number float64

// UnmarshalText reads a number or a quotient, and rounds the exact value once.
func (n *number) UnmarshalText(text []byte) error {
	value := big.NewRat(1, 1)
	for i, word := range strings.Split(string(text), "/") {
		operand, ok := new(big.Rat).SetString(strings.TrimSpace(word))
		if !ok || i > 0 && operand.Sign() == 0 {
			return fmt.Errorf("invalid number %q", text)
		}
		if i > 0 {
			operand.Inv(operand)
		}
		value.Mul(value, operand)
	}
	x, _ := value.Float64()
	*n = number(x)
	return nil
}

// Takes completes the message on what is no number.
func (*number) Takes() string { return "a number, or two with a slash between them" }

// rowsOf is rows of one kind: each metric of each group or mix by each way, in this order,
// the last changing fastest. What it leaves out it has from the entry around it.
type rowsOf struct {
	Metrics names  `yaml:"metrics" of:"metric"`
	As      string `yaml:"as"`                // what rows call the metric; "": its name
	Groups  names  `yaml:"groups" of:"group"` // means over each
	Each    names  `yaml:"each" of:"group"`   // each mix of the groups
	// Goals each has a row for every goal, and then one for all; "": one for all.
	Goals string `yaml:"goals" of:"choice of goals"`
	Of    names  `yaml:"of"` // applications of the mix, or what else a metric tells apart
	Ways  names  `yaml:"ways" of:"way"`
	// Over compares each way with each of these, Less subtracts these, And takes what
	// holds of both. Base compares as Over does, and rows do not say so.
	Over names  `yaml:"over" of:"way"`
	Less names  `yaml:"less" of:"way"`
	And  names  `yaml:"and" of:"way"`
	Base string `yaml:"base" of:"way"`
	// Change says how ways are compared; "": means, in percent.
	Change string `yaml:"change" of:"change"`
	// Reached are ways: only mixes count that reach their goals under each of them.
	Reached names `yaml:"reached" of:"way"`
	// Extremes are highest, largest, lowest and smallest, of the mixes of a group.
	Extremes names `yaml:"extremes" of:"extreme"`
	// Label is the rows' name, in which {metric}, {group}, {mix}, {goal}, {of}, {way} and
	// {over} stand for what they have; "": as these say together.
	Label string `yaml:"label"`
	Unit  string `yaml:"unit"` // "": as metric and change say
	// Make names rows that are made otherwise, of those before them.
	Make string   `yaml:"make" of:"maker of rows"`
	Rows []rowsOf `yaml:"rows"` // for each value of what is given beside them
}
