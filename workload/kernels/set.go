package kernels

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Set is the application with other numbers for some of its parameters, which
// hold for every size: list is NAME:NUMBER,... An error says what would be valid.
func (m *Manifest) Set(list string) (*Manifest, error) {
	changed := *m
	changed.Parameters = slices.Clone(m.Parameters)
	var names []string
	for i := range m.Parameters {
		names = append(names, m.Parameters[i].Name)
	}
	for item := range strings.SplitSeq(list, ",") {
		name, number, _ := strings.Cut(item, ":")
		i := slices.Index(names, name)
		if _, err := strconv.ParseFloat(number, 64); err != nil || i < 0 {
			return nil, fmt.Errorf("invalid %q; valid: NAME:NUMBER,... with names among %s", item, strings.Join(names, ", "))
		}
		p := Parameter{Name: name, Multiple: m.Parameters[i].Multiple}
		if err := p.Value.UnmarshalText([]byte(number)); err != nil || p.Value.fault != nil {
			return nil, fmt.Errorf("invalid %q; valid: a number such as 12 or 0.5", item)
		}
		changed.Parameters[i] = p
	}
	return &changed, nil
}
