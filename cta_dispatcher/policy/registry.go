package policy

import (
	"fmt"
	"slices"
	"strings"

	"cotenant/options"
)

// Option is a parameter of a policy, written name=value.
type Option struct {
	Name    string
	About   string // effect, unit and range
	Default string
	// File: the value is the path of a file that the policy reads, unless it is the default.
	// The run depends on the file's contents.
	File bool
}

// Descriptor is a policy's entry in the registry.
type Descriptor struct {
	Name    string
	About   string // one line
	Options []Option
	// Explains lists the forms of the tables that Needs.Explain returns.
	Explains []*Form
	// New makes the policy from a value for every option. Parse drops the policy if a value is
	// not valid.
	New func(options *Options) Policy
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
	d, values, err := parse(spec)
	if err != nil {
		return nil, err
	}
	o := NewOptions(values)
	p := d.New(o)
	if err := o.Err(); err != nil {
		return nil, fmt.Errorf("policy %s: %w", d.Name, err)
	}
	return p, nil
}

// Files lists the paths of the files that the policy of a specification reads.
func Files(spec string) (paths []string, err error) {
	d, values, err := parse(spec)
	if err != nil {
		return nil, err
	}
	for _, o := range d.Options {
		if o.File && values[o.Name] != o.Default {
			paths = append(paths, values[o.Name])
		}
	}
	return paths, nil
}

// parse splits a specification into the policy and the values of its options.
func parse(spec string) (*Descriptor, map[string]string, error) {
	name, list, hasOptions := strings.Cut(spec, ":")
	i := slices.IndexFunc(registry, func(d Descriptor) bool { return d.Name == name })
	if i < 0 {
		var names []string
		for _, d := range registry {
			names = append(names, d.Name)
		}
		return nil, nil, fmt.Errorf("unknown policy %q; valid: %s", name, strings.Join(names, ", "))
	}
	d := &registry[i]
	values := map[string]string{}
	var valid []string
	for _, o := range d.Options {
		values[o.Name] = o.Default
		valid = append(valid, o.Name+"=VALUE")
	}
	if hasOptions {
		if len(valid) == 0 {
			return nil, nil, fmt.Errorf("policy %s takes no options, got %q", name, list)
		}
		syntax := options.Syntax{Joint: ",", Equals: "=", Valid: strings.Join(valid, ", ")}
		given, err := syntax.Parse(list)
		if err != nil {
			return nil, nil, fmt.Errorf("policy %s: %w", name, err)
		}
		for _, o := range given {
			if _, known := values[o.Key]; !known {
				return nil, nil, fmt.Errorf("policy %s: %w", name, syntax.Invalid(syntax.Text(o)))
			}
			values[o.Key] = o.Value
		}
	}
	return d, values, nil
}
