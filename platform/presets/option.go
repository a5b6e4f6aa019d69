package presets

import (
	"fmt"
	"slices"
	"strings"
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
	for _, o := range options {
		doc, err := format.Option(ref, o.path, o.value)
		if err != nil {
			return err
		}
		if err := doc.Decode(l.config, l.at); err != nil {
			return err
		}
	}
	return nil
}
