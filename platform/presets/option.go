package presets

import (
	"fmt"
	"slices"
	"strings"

	"cotenant/options"
	"cotenant/platform/wiring"
)

// syntax is how options follow the question mark of a reference. Each sets what
// a file that extends the GPU would.
var syntax = options.Syntax{Joint: "&", Equals: "=", Valid: "KEY=VALUE, such as l2.ways=4, several joined by &"}

// cut parts a reference into the GPU and its options.
func cut(ref string) (gpu string, given []options.Option, err error) {
	gpu, list, ok := strings.Cut(ref, "?")
	if !ok {
		return gpu, nil, nil
	}
	if given, err = syntax.Parse(list); err != nil {
		return "", nil, fmt.Errorf("GPU %q: %w", ref, err)
	}
	return gpu, given, nil
}

// set writes the options of a reference over the configuration.
func (l *loader) set(ref string, given []options.Option) error {
	l.config.Name = ref
	l.open = append(l.open, source{name: ref})
	documents := len(l.kinds)
	for _, o := range given {
		doc, err := format.Option(ref, o.Key, o.Value)
		if err != nil {
			return err
		}
		if err := l.decode(doc); err != nil {
			return err
		}
	}
	return l.checkKinds(documents)
}

// checkKinds returns an error if an option sets an unknown kind of SM: no document
// describes it and no SM is of it. Entries of documents come first.
func (l *loader) checkKinds(documents int) error {
	var valid []string
	for _, g := range l.config.SMs {
		valid = append(valid, g.Kind)
	}
	for _, k := range l.kinds[:documents] {
		valid = append(valid, k.Name)
	}
	slices.Sort(valid)
	valid = slices.DeleteFunc(slices.Compact(valid), func(kind string) bool { return kind == wiring.BaseKind })
	for _, k := range l.kinds[documents:] {
		if !slices.Contains(valid, k.Name) {
			return k.At.Errorf("%s.%s: no SM is of this kind; valid: %s", kindsKey, k.Name, strings.Join(append(valid, "a kind that sms lists"), ", "))
		}
	}
	return nil
}
