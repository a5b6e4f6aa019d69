package options

import (
	"regexp"
	"strings"
)

// plain is an argument that a shell takes as it stands.
var plain = regexp.MustCompile(`^[A-Za-z0-9_%+=:,./@-]+$`)

// Quoted writes an argument of a command so that it can be pasted into a shell:
// between single quotes, where nothing has a meaning but the next one, if it has to
// be.
func Quoted(argument string) string {
	if plain.MatchString(argument) {
		return argument
	}
	return "'" + strings.ReplaceAll(argument, "'", `'\''`) + "'"
}
