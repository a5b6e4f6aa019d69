package source

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestArgumentsAreTheWordsOfAShell(t *testing.T) {
	for line, want := range map[string][]string{
		"":                      nil,
		"  ":                    nil,
		"100 data/in.txt":       {"100", "data/in.txt"},
		`-f "a b" 'c "d"' e\ f`: {"-f", "a b", `c "d"`, "e f"},
		`"" x`:                  {"", "x"},
		`a"b c"d`:               {"ab cd"},
		`'\'`:                   {`\`},
	} {
		list, err := words(line)
		require.NoError(t, err, line)
		require.Equal(t, want, list, line)
	}
}
