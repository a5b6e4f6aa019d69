package source

import (
	"fmt"
	"os"
	"strings"

	"cotenant/tenant"
)

// Split takes the tenant's attributes off an application as a user writes it,
// such as ?arrival=TIME and &priority=N. What is left is for Open. An error says
// what would be valid.
func Split(spec string) (app string, a tenant.Attributes, err error) {
	text, query, ok := cutOptions(spec)
	if !ok {
		return spec, a, nil
	}
	s := syntax(spec)
	given, err := s.Parse(query)
	if err != nil {
		return "", a, fmt.Errorf("application %q: %w", spec, err)
	}
	var rest []string
	for _, o := range given {
		known, err := a.Set(o.Key, o.Value)
		if err != nil {
			return "", a, fmt.Errorf("application %q: invalid option %q; valid: %w", spec, s.Text(o), err)
		}
		if known {
			continue
		}
		if strings.HasPrefix(spec, "traceg:") && o.Key != memoryLimit {
			return "", a, fmt.Errorf("application %q: %w", spec, s.Invalid(s.Text(o)))
		}
		rest = append(rest, s.Text(o))
	}
	if len(rest) > 0 {
		text += "?" + strings.Join(rest, "&")
	}
	return text, a, nil
}

// cutOptions finds the options in an application. A question mark may be part
// of a trace's path: only what follows the last one can be options, unless there
// is such a file.
func cutOptions(spec string) (text, query string, ok bool) {
	path, trace := strings.CutPrefix(spec, "traceg:")
	if !trace {
		return strings.Cut(spec, "?")
	}
	if _, err := os.Stat(path); err == nil {
		return spec, "", false
	}
	last := strings.LastIndex(spec, "?")
	if last < 0 {
		return spec, "", false
	}
	return spec[:last], spec[last+1:], true
}
