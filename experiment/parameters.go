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
	// Warmup is the number of core cycles before counters start. They come before the
	// window of Cycles.
	Warmup uint64 `json:"warmup,omitempty"`
	// SkipLaunches is the number of launches at the start of each run of an application that
	// are executed without timing; StopAfterLaunch the launch that ends the run, from 1, or 0
	// for all.
	SkipLaunches    uint64 `json:"skip_launches,omitempty"`
	StopAfterLaunch uint64 `json:"stop_after_launch,omitempty"`
}

// parameters is the table of all Parameters.
var parameters = []Parameter{
	{"pages", "where the pages of applications start, on a GPU with an MMU. resident: in its memory; demand: data in CPU memory, other arrays without memory; lazy-output: only output lacks memory, arrays without data or overwritten by the first kernel; lazy-heap: only the heap does; strict: arrays resident, any other access ends the run",
		func(p *Parameters) options.Value {
			return options.Choice[wiring.PageMode]{Value: &p.Pages, Valid: wiring.PageModes()}
		}},
	number("warmup", "start counters after `N` core cycles, which come before the window of --cycles; applications alone warm up as long", func(p *Parameters) *uint64 { return &p.Warmup }),
	number("skip-launches", "execute the first `N` launches of each application without timing", func(p *Parameters) *uint64 { return &p.SkipLaunches }),
	number("stop-after-launch", "end each run of an application after its launch `N`, counted with skipped ones; 0 for none", func(p *Parameters) *uint64 { return &p.StopAfterLaunch }),
}

// mostParameter is the largest number that a parameter takes.
const mostParameter = 1_000_000_000_000

// number makes the entry of a whole number with the default 0.
func number(name, usage string, of func(*Parameters) *uint64) Parameter {
	return Parameter{name, usage, func(p *Parameters) options.Value {
		return options.Number{Value: of(p), Most: mostParameter}
	}}
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
	if p == (Parameters{}) { // most runs
		return nil
	}
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
