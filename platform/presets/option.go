package presets

import (
	"fmt"
	"slices"
	"strings"

	"cotenant/platform/build"
)

// An option is what follows the question mark of a reference, KEY=VALUE, or one
// of several joined by &: it sets what a file that extends the GPU would.
type option struct{ path, value string }

// cut parts a reference into the GPU and its options.
func cut(ref string) (gpu string, options []option, err error) {
	gpu, list, given := strings.Cut(ref, "?")
	if !given {
		return gpu, nil, nil
	}
	for item := range strings.SplitSeq(list, "&") {
		path, value, _ := strings.Cut(item, "=")
		if path == "" || value == "" {
			return "", nil, fmt.Errorf("GPU %q: invalid option %q; valid: KEY=VALUE, such as sm.l1.mshrs=32, several joined by &", ref, item)
		}
		if slices.ContainsFunc(options, func(o option) bool { return o.path == path }) {
			return "", nil, fmt.Errorf("GPU %q: option %s is given twice; once is enough", ref, path)
		}
		options = append(options, option{path, value})
	}
	return gpu, options, nil
}

// set writes the options of a reference over the configuration.
func (l *loader) set(ref string, options []option) error {
	l.config.Name = ref
	l.open = append(l.open, source{name: ref})
	documents := len(l.kinds)
	for _, o := range options {
		doc, err := format.Option(ref, o.path, o.value)
		if err != nil {
			return err
		}
		if err := l.decode(doc); err != nil {
			return err
		}
	}
	return l.checkKinds(documents)
}

// checkKinds returns an error if an option sets a kind of SM that neither the
// documents know, whose entries come first, nor an SM is of: its name is
// mistaken.
func (l *loader) checkKinds(documents int) error {
	var valid []string
	for _, g := range l.config.SMs {
		valid = append(valid, g.Kind)
	}
	for _, k := range l.kinds[:documents] {
		valid = append(valid, k.Name)
	}
	slices.Sort(valid)
	valid = slices.DeleteFunc(slices.Compact(valid), func(kind string) bool { return kind == build.BaseKind })
	for _, k := range l.kinds[documents:] {
		if !slices.Contains(valid, k.Name) {
			return k.At.Errorf("%s.%s: no SM is of this kind; valid: %s", kindsKey, k.Name, strings.Join(append(valid, "a kind that sms lists"), ", "))
		}
	}
	return nil
}
