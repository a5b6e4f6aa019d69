package cli

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestHelpIsWrappedAtTheTerminal(t *testing.T) {
	terminal, screen := pseudoTerminal(t)
	require.NoError(t, unix.IoctlSetWinsize(int(terminal.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 50}))
	var seen bytes.Buffer
	ended := watchScreen(&seen, screen)
	assert.Equal(t, 0, execute(t.Context(), []string{"list", "--help"}, terminal, terminal))
	terminal.Close()
	<-ended
	assert.Contains(t, seen.String(), "  kernels     built-in applications, for --app\r\n  blocks      further hardware blocks and their\r\n              parameters, for blocks in a GPU's\r\n              file\r\n")
}
