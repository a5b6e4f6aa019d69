package validation

import (
	"embed"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cotenant/workload/strictyaml"
)

// Machine is what is published of the machine that a preset stands for.
type Machine struct {
	// Name is the machine's name.
	Name string `yaml:"machine"`
	// Figures are the published ones. There may be several of one name, of
	// different sources.
	Figures []Published `yaml:"figures"`
}

// Published is a published figure.
type Published struct {
	// Figure is the name of a microkernel's figure.
	Figure string `yaml:"figure"`
	// Value is in the unit of that figure.
	Value Range `yaml:"value"`
	// Printed is how the source has it, if in other words or another unit; "" if
	// not.
	Printed string `yaml:"printed"`
	// Source is the author and the table, and the chip if it is another.
	Source string `yaml:"source"`
	// Mark is p, m or c: see Marks.
	Mark string `yaml:"mark"`
	// Reason says why ours differs by more than the kind of figure may. There is
	// none unless it does.
	Reason string `yaml:"reason"`
}

// Marks are what is known of a published figure's source.
var Marks = []struct{ Mark, Text string }{
	{"p", "printed in the source"},
	{"m", "not verified in the source: no conclusion rests on it alone"},
	{"c", "from a public configuration of another simulator"},
}

// Range is a number, or the bounds between which one lies: LOW to HIGH.
type Range struct{ Low, High float64 }

// Takes makes Range a strictyaml.Text.
func (Range) Takes() string { return "a number above 0, or two, such as 200 to 400" }

// UnmarshalText makes Range a strictyaml.Text.
func (r *Range) UnmarshalText(text []byte) error {
	low, high, two := strings.Cut(string(text), " to ")
	if !two {
		high = low
	}
	var errs [2]error
	r.Low, errs[0] = strconv.ParseFloat(low, 64)
	r.High, errs[1] = strconv.ParseFloat(high, 64)
	if err := errors.Join(errs[:]...); err != nil {
		return err
	}
	if !(r.Low > 0) || r.High < r.Low || two && r.High == r.Low {
		return errors.New("not a range")
	}
	return nil
}

// String writes it as it is read.
func (r Range) String() string {
	if r.Low == r.High {
		return number(r.Low)
	}
	return number(r.Low) + " to " + number(r.High)
}

// Difference is how far a value is beyond the range, as a fraction of the bound
// that it passes; 0 within.
func (r Range) Difference(value float64) float64 {
	switch {
	case value < r.Low:
		return value/r.Low - 1
	case value > r.High:
		return value/r.High - 1
	}
	return 0
}

//go:embed published/*.yaml
var files embed.FS

// MachineOf is what is published of the machine of a preset; nil if nothing is.
func MachineOf(preset string) (*Machine, error) {
	name := "published/" + preset + ".yaml"
	text, err := files.ReadFile(name)
	if err != nil {
		return nil, nil
	}
	return parse(name, text)
}

// Presets lists the presets with published figures.
func Presets() (list []string) {
	entries, _ := files.ReadDir("published")
	for _, e := range entries {
		list = append(list, strings.TrimSuffix(e.Name(), ".yaml"))
	}
	return list
}

var format = strictyaml.List("a machine's published figures", "the machine", "machine and figures")

// parse reads a file of published figures.
func parse(name string, text []byte) (*Machine, error) {
	doc, err := format.Parse(name, text)
	if err != nil {
		return nil, err
	}
	m, at := &Machine{}, strictyaml.Positions{}
	if err := doc.Decode(m, at); err != nil {
		return nil, err
	}
	if m.Name == "" {
		return nil, at.Nearest("").Errorf("machine is empty; valid: the name of the measured machine")
	}
	valid := figureNames()
	var marks []string
	for _, mark := range Marks {
		marks = append(marks, mark.Mark)
	}
	for i := range m.Figures {
		p, path := &m.Figures[i], fmt.Sprintf("figures[%d]", i)
		switch {
		case !slices.Contains(valid, p.Figure):
			err = at.Nearest(path+".figure").Errorf("unknown figure %q; valid: %s", p.Figure, strings.Join(valid, ", "))
		case p.Value == Range{}:
			err = at.Nearest(path).Errorf("%s has no value; it takes %s", p.Figure, p.Value.Takes())
		case p.Source == "":
			err = at.Nearest(path).Errorf("%s has no source; it takes the author and the table", p.Figure)
		case !slices.Contains(marks, p.Mark):
			err = at.Nearest(path+".mark").Errorf("the mark of %s is %q; valid: %s", p.Figure, p.Mark, strings.Join(marks, ", "))
		case slices.ContainsFunc(m.Figures[:i], func(o Published) bool { return o.Figure == p.Figure && o.Source == p.Source }):
			err = at.Nearest(path).Errorf("%s is given twice of one source; once is enough", p.Figure)
		}
		if err != nil {
			return nil, err
		}
	}
	return m, nil
}

// figureNames are the names of all figures.
func figureNames() (list []string) {
	for _, m := range All() {
		for _, f := range m.Figures {
			list = append(list, f.Name)
		}
	}
	return list
}
