package experiment

import (
	"strings"

	"cotenant/options"
	"cotenant/platform/wiring"
)

// Parameters are the settings of a run that have a default, their zero value. A field
// here and its entry in the table below make a parameter: a flag of run, an axis of
// sweeps, a part of identities and of results.
type Parameters struct {
	// Pages says where the applications' pages are when they start, alone as in the
	// mix. "" stands for wiring.PagesResident.
	Pages wiring.PageMode `json:"pages,omitempty"`
}

// parameters is the table of all Parameters.
var parameters = []Parameter{
	{"pages", "where the pages of applications start, on a GPU with an MMU. resident: in its memory; demand: data in CPU memory, other arrays without memory; lazy-output: only output lacks memory, arrays without data or overwritten by the first kernel; lazy-heap: only the heap does; strict: arrays resident, any other access ends the run",
		func(p *Parameters) options.Value {
			return options.Choice[wiring.PageMode]{Value: &p.Pages, Valid: wiring.PageModes()}
		}},
}

// Parameter gives access to a field of Parameters.
type Parameter struct {
	Name  string // of the flag and of the matrix key
	Usage string
	// Of is the parameter's value in a set of them.
	Of func(*Parameters) options.Value
}

// AllParameters lists the parameters in their order.
func AllParameters() []Parameter { return parameters }

// Default is the text of the default.
func (x Parameter) Default() string { return x.Of(&Parameters{}).String() }

// Given lists the parameters that differ from their defaults.
func (p Parameters) Given() (list []Parameter) {
	for _, x := range parameters {
		if x.Of(&p).String() != x.Default() {
			list = append(list, x)
		}
	}
	return list
}

// normal has zero values where p spells a default out, so that equal runs have one
// identity.
func (p Parameters) normal() (n Parameters) {
	for _, x := range p.Given() {
		_ = x.Of(&n).Set(x.Of(&p).String()) // Check refuses what Set does
	}
	return n
}

// Words lists the given parameters as ", NAME VALUE", for messages.
func (p Parameters) Words() string {
	var text strings.Builder
	for _, x := range p.Given() {
		text.WriteString(", " + x.Name + " " + x.Of(&p).String())
	}
	return text.String()
}
