package presets

import (
	"fmt"
	"slices"
	"strings"
)

// An option is what follows the question mark of a reference, KEY=VALUE, or one
// of several joined by &: it sets what a file that extends the GPU would.
type option struct {
	path, value string
	from        source // in messages
}

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
		options = append(options, option{path, value, source{name: ref}})
	}
	return gpu, options, nil
}

// set writes an option over the configuration.
func (l *loader) set(o option) error {
	doc, err := format.Option(o.from.name, o.path, o.value)
	if err != nil {
		return err
	}
	l.open = append(l.open, o.from)
	return doc.Decode(l.config, l.at)
}
