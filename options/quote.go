package options

import (
	"regexp"
	"strings"
)

// plain matches an argument that needs no quotes in a shell.
var plain = regexp.MustCompile(`^[A-Za-z0-9_%+=:,./@-]+$`)

// Quoted writes an argument of a command for a shell: between single quotes if it
// needs any, because nothing but the next single quote has a meaning there.
func Quoted(argument string) string {
	if plain.MatchString(argument) {
		return argument
	}
	return "'" + strings.ReplaceAll(argument, "'", `'\''`) + "'"
}
