// Package record keeps the reports of published figures that docs/results.md shows, each
// with the build that made it, and the reason of each value outside the tolerance.
package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"path"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"cotenant/experiment/reproduce"
)

// Record is a report and its origin.
type Record struct {
	// Commit is the commit of the program that made the runs, Date its day, as 2026-11-24.
	Commit string `json:"commit"`
	Date   string `json:"date"`
	// Report is as reproduce NAME --json writes it.
	Report *reproduce.Report `json:"report"`
}

// Long reports whether the runs are as long as the paper's; a quick report can have such runs, of
// fewer mixes.
func (r *Record) Long() bool {
	return r.Report.Mixes > 0 && (!r.Report.Quick || r.Report.Cycles >= reproduce.Full.Cycles)
}

// Name tells an experiment's long record from its quick record.
func (r *Record) Name() string {
	if r.Long() {
		return r.Report.Name + long
	}
	return r.Report.Name
}

// long is what the names of long records end in.
const long = "-long"

// Reason says why values are outside the tolerance.
type Reason struct {
	Experiment string   `yaml:"experiment"`
	Rows       []string `yaml:"rows"` // labels; * stands for any text
	Reason     string   `yaml:"reason"`
}

// Book is all that the document is made of.
type Book struct {
	Records []*Record // in the order of reproduce.All, an experiment's long record last
	Reasons []Reason
}

// Folder is the place of the data in the sources.
const Folder = "experiment/reproduce/record/data"

// Read reads the records and reasons of a folder.
func Read(folder fs.FS) (*Book, error) {
	b := &Book{}
	text, err := fs.ReadFile(folder, "reasons.yaml")
	if err != nil {
		return nil, err
	}
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(&b.Reasons); err != nil {
		return nil, fmt.Errorf("reasons.yaml: %w", err)
	}
	for _, name := range names() {
		text, err := fs.ReadFile(folder, name+".json")
		if err != nil {
			continue // never recorded
		}
		r := &Record{}
		if err := json.Unmarshal(text, r); err != nil || r.Report == nil {
			return nil, fmt.Errorf("%s.json is no record: %w", name, err)
		}
		b.Records = append(b.Records, r)
	}
	return b, nil
}

// names are all names of records, in order.
func names() (list []string) {
	for _, e := range reproduce.All() {
		list = append(list, e.Name, e.Name+long)
	}
	return list
}

// Add puts a record in the place of the old one of its name.
func (b *Book) Add(r *Record) {
	var list []*Record
	for _, name := range names() {
		if name == r.Name() {
			list = append(list, r)
		} else if old := b.of(name); old != nil {
			list = append(list, old)
		}
	}
	b.Records = list
}

// of is the record of a name, nil if there is none.
func (b *Book) of(name string) *Record {
	if i := slices.IndexFunc(b.Records, func(r *Record) bool { return r.Name() == name }); i >= 0 {
		return b.Records[i]
	}
	return nil
}

// Tolerances. A mean over mixes also agrees if the published value is within its interval.
const (
	relative = 0.10 // of the published value
	points   = 5    // of a value in per cent
)

// Agrees reports whether a row with a published value is within the tolerance.
func Agrees(r reproduce.Row) bool {
	difference, ok := r.Difference()
	if !ok {
		return false
	}
	return math.Abs(difference) <= relative*math.Abs(*r.Paper) || r.Unit == "%" && math.Abs(difference) <= points ||
		r.Low != nil && r.High != nil && *r.Low <= *r.Paper && *r.Paper <= *r.High
}

// reason is the reason of a row, by its place in Reasons; -1 without one.
func (b *Book) reason(experiment, label string) int {
	return slices.IndexFunc(b.Reasons, func(r Reason) bool {
		return r.Experiment == experiment && slices.ContainsFunc(r.Rows, func(pattern string) bool { return matches(pattern, label) })
	})
}

// matches reports whether a label is as a pattern says; * also stands for slashes.
func matches(pattern, label string) bool {
	slashes := strings.NewReplacer("/", "|", "[", "(", "]", ")", "?", ".", `\`, ".")
	ok, err := path.Match(slashes.Replace(pattern), slashes.Replace(label))
	return ok && err == nil
}

// Faults lists rows outside the tolerance without a reason, and reasons without such a row.
func (b *Book) Faults() (faults []string) {
	used := make([]bool, len(b.Reasons))
	for _, r := range b.Records {
		for _, row := range r.Report.Rows {
			if row.Paper == nil || Agrees(row) {
				continue
			}
			if i := b.reason(r.Report.Name, row.Label); i >= 0 {
				used[i] = true
			} else {
				faults = append(faults, fmt.Sprintf("%s: %q is outside the tolerance and has no reason", r.Report.Name, row.Label))
			}
		}
	}
	for i, r := range b.Reasons {
		if !used[i] {
			faults = append(faults, fmt.Sprintf("%s: no row of %q is outside the tolerance", r.Experiment, r.Rows))
		}
	}
	return faults
}
