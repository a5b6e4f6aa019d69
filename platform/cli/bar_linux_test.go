package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// pseudoTerminal returns a terminal and its other side, where one sees what is
// written to it.
func pseudoTerminal(t testing.TB) (terminal, screen *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip("there are no pseudo-terminals")
	}
	t.Cleanup(func() { screen.Close() })
	number, err := unix.IoctlGetInt(int(screen.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	require.NoError(t, unix.IoctlSetPointerInt(int(screen.Fd()), unix.TIOCSPTLCK, 0))
	terminal, err = os.OpenFile(fmt.Sprint("/dev/pts/", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	require.NoError(t, err)
	t.Cleanup(func() { terminal.Close() })
	return terminal, screen
}

// watchScreen reads what is written to a terminal until that is closed.
func watchScreen(seen io.Writer, screen *os.File) (ended chan struct{}) {
	ended = make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = io.Copy(seen, screen)
	}()
	return ended
}

func TestLastWordTakesTheBarsPlace(t *testing.T) {
	terminal, screen := pseudoTerminal(t)
	var seen bytes.Buffer
	ended := watchScreen(&seen, screen)
	b := newProgress(terminal, false)
	require.NotNil(t, b.bar)
	b.show("", "something with a long name", "", 0.5)
	assert.Equal(t, exitFailure, lastWord(terminal, errors.New("no"), nil))
	b.show("", "the simulation goes on meanwhile", "", 0.6)
	assert.False(t, b.drawn)
	terminal.Close()
	<-ended
	assert.Contains(t, seen.String(), "something with a long name")
	assert.Equal(t, "cotenant: no", shown(seen.String()), "%q", seen.String())
}

func TestBarIsTakenAwayWhenTheProgramEnds(t *testing.T) {
	t.Parallel()
	hearsHangUp(t)
	for s, want := range map[syscall.Signal]struct {
		status int
		screen string
	}{
		syscall.SIGHUP:  {129, `^$`},
		syscall.SIGTERM: {143, `^cotenant: interrupted( at cycle \d+)?; no output file was written$`},
	} {
		terminal, screen := pseudoTerminal(t)
		c := newChild(t, "run", "--app", "profile:lbm", "--cycles", "1000M")
		c.Stderr = terminal
		c.start(t)
		seen := &lockedBuffer{}
		ended := watchScreen(seen, screen)
		require.Eventually(t, func() bool { return strings.Contains(seen.String(), "cycle ") }, 20*time.Second, time.Millisecond)
		c.signal(t, s)
		assert.Equal(t, want.status, c.status(t))
		terminal.Close()
		<-ended
		assert.Regexp(t, want.screen, shown(seen.String()), "%q", seen.String())
	}
}

// shown is what a terminal shows of a text, without spaces at the ends of lines.
func shown(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		var cells []byte
		for _, part := range strings.Split(strings.TrimSuffix(line, "\n"), "\r") {
			cells = append([]byte(part), cells[min(len(part), len(cells)):]...)
		}
		lines = append(lines, strings.TrimRight(string(cells), " "))
	}
	return strings.Join(lines, "\n")
}
