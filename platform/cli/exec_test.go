package cli

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A program's exit status and arguments are its own.
func TestExecEndsAsItsProgramDoes(t *testing.T) {
	program := compiledProgram(t, "sgemm.cu")
	got := cotenant(t, "exec", "--count", program, "32")
	assert.Equal(t, 0, got.status)
	assert.Contains(t, got.stderr, "cotenant: 1 launch, 5248 warp instructions, ")
	assert.Equal(t, outcome{1, "", ""}, cotenant(t, "exec", program, "--quiet"), "the option is the program's, which takes it for a size")
	assert.Equal(t, outcome{1, "", ""}, cotenant(t, "exec", "--gpu", "gtx980", program, "17"))
	got = cotenant(t, "exec", "--gpu", "gtx980", program, "32")
	assert.Equal(t, 0, got.status)
	assert.Contains(t, got.stdout, "│ fcfs   │ cuda:")
}

func TestFaultyProgramCommands(t *testing.T) {
	for _, c := range []struct {
		args    []string
		message string
	}{
		{[]string{"exec"}, "exec needs a program; valid: cotenant exec [flags] PROGRAM [ARGUMENTS]"},
		{[]string{"exec", "nosuch"}, "nosuch: no such file or directory"},
		{[]string{"exec", "--gpu", "gtx980", "--count", "a"}, "--count is for --gpu none; valid: one of --count and --gpu gtx980, the result of which counts"},
		{[]string{"exec", "--json", "a.json", "a"}, "--json is for a run on a GPU; valid: --gpu NAME with it"},
		{[]string{"exec", "--host-timeout", "0s", "a"}, `invalid argument "0s" for "--host-timeout" flag: "0s" is no time; valid: more than 0, such as 90s or 5m`},
		{[]string{"cc"}, "cc: no input file; valid: cotenant cc [OPTIONS] FILES -o PROGRAM"},
		{[]string{"trace", "capture", "a"}, "--out is needed; valid: --out DIR"},
		{[]string{"trace", "capture"}, "capture needs a program; valid: cotenant trace capture --out DIR PROGRAM [ARGUMENTS]"},
	} {
		assert.Equal(t, outcome{exitUsage, "", "cotenant: " + c.message + "\n"}, cotenant(t, c.args...), "%v", c.args)
	}
}
