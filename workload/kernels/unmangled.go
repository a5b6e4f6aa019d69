package kernels

import (
	"regexp"
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
// arguments and parameters. Thrust 1 launches nearly all its kernels by one template, _kernel_agent; they have
// the name of the agent, which is the template's first argument.
func PlainName(function string) string {
	name := unmangled(function)
	if name == "" {
		return function
	}
	name = name[strings.LastIndex(name, ":")+1:]
	if _, argument, found := strings.Cut(function, "13_kernel_agentIN"); found && name == "_kernel_agent" {
		namespace := len(substitution.FindString(argument))
		for agent, rest := sourceName(argument[namespace:]); agent != ""; agent, rest = sourceName(rest) {
			name = agent
		}
	}
	return name
}

// substitution is what stands for a namespace that a mangled name has named before (5.1.10).
var substitution = regexp.MustCompile(`^S[0-9A-Z]*_`)

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
