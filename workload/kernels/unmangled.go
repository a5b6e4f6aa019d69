package kernels

import (
	"strconv"
	"strings"
)

// unmangled is the qualified name of the function that a C++ compiler calls
// mangled, by the Itanium ABI (5.1.2): geo::scale for _ZN3geo5scaleIfEEvPf. It
// is without template arguments and parameters, and "" for other names. Kernels
// are not members of classes, so template arguments end a name.
func unmangled(mangled string) string {
	rest, ok := strings.CutPrefix(mangled, "_Z")
	if !ok {
		return ""
	}
	rest, nested := strings.CutPrefix(rest, "N")
	var names []string
	for {
		name, after := sourceName(strings.TrimPrefix(rest, "L")) // of internal linkage
		if name == "" {
			break
		}
		if !strings.HasPrefix(name, "_GLOBAL__N") { // an anonymous namespace
			names = append(names, name)
		}
		if rest = after; !nested {
			break
		}
	}
	return strings.Join(names, "::")
}

// PlainName is what the source calls a function of the PTX: its name without namespaces, template
// arguments and parameters.
func PlainName(function string) string {
	name := unmangled(function)
	if name == "" {
		return function
	}
	return name[strings.LastIndex(name, ":")+1:]
}

// sourceName reads a name behind its length, "" if there is none.
func sourceName(text string) (name, rest string) {
	n := span(text, digits)
	length, err := strconv.Atoi(text[:n])
	if err != nil || length < 1 || length > len(text)-n {
		return "", text
	}
	return text[n : n+length], text[n+length:]
}

// calls reports whether a name that a user writes means a function of the PTX:
// its own name, or the end of its qualified name.
func calls(name, function string) bool {
	full := unmangled(function)
	return name == function || full != "" && (name == full || strings.HasSuffix(full, "::"+name))
}
