package policy

import (
	"fmt"
	"slices"
	"strings"
)

// Option is a parameter of a policy, written name=value.
type Option struct {
	Name    string
	About   string // what it does, its unit and range
	Default string
}

// Descriptor is a policy's entry in the registry.
type Descriptor struct {
	Name    string
	About   string // one line
	Options []Option
	// New makes the policy. Options has a value for every option; an error
	// says which value is wrong and what would be valid.
	New func(options Options) (Policy, error)
}

var registry []Descriptor

// Register adds a policy; a policy's package calls it when it is initialised.
func Register(d Descriptor) {
	registry = append(registry, d)
	slices.SortFunc(registry, func(a, b Descriptor) int { return strings.Compare(a.Name, b.Name) })
}

// All lists the registered policies by name.
func All() []Descriptor { return slices.Clone(registry) }

// Parse makes a policy from its specification: NAME or NAME:option=value,...
// An unknown name or option is an error that lists the valid ones.
func Parse(spec string) (Policy, error) {
	name, list, hasOptions := strings.Cut(spec, ":")
	i := slices.IndexFunc(registry, func(d Descriptor) bool { return d.Name == name })
	if i < 0 {
		var names []string
		for _, d := range registry {
			names = append(names, d.Name)
		}
		return nil, fmt.Errorf("unknown policy %q; valid: %s", name, strings.Join(names, ", "))
	}
	d := &registry[i]
	options := Options{}
	var valid []string
	for _, o := range d.Options {
		options[o.Name] = o.Default
		valid = append(valid, o.Name)
	}
	if hasOptions {
		given := map[string]bool{}
		for item := range strings.SplitSeq(list, ",") {
			key, value, ok := strings.Cut(item, "=")
			if _, known := options[key]; !ok || !known {
				if len(valid) == 0 {
					return nil, fmt.Errorf("policy %s takes no options, got %q", name, item)
				}
				return nil, fmt.Errorf("policy %s: unknown option %q; valid: %s", name, item, strings.Join(valid, ", "))
			}
			if given[key] {
				return nil, fmt.Errorf("policy %s: option %s is given twice", name, key)
			}
			given[key] = true
			options[key] = value
		}
	}
	p, err := d.New(options)
	if err != nil {
		return nil, fmt.Errorf("policy %s: %w", name, err)
	}
	return p, nil
}
