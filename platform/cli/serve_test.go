package cli

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestServeShowsASweepUntilItIsInterrupted(t *testing.T) {
	matrix := sweepFiles(t)
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	out, stdout := io.Pipe()
	var stderr bytes.Buffer
	status := make(chan int, 1)
	go func() { status <- execute(ctx, []string{"serve", matrix + ".sqlite"}, stdout, &stderr) }()
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	url := strings.TrimSpace(line)
	state := func() string {
		answer, err := http.Get(url + "live.json")
		require.NoError(t, err)
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		return string(body)
	}
	assert.Contains(t, state(), "there is no such store yet")
	got := sweepTo(t, matrix, "--quiet")
	require.Equal(t, 0, got.status, got.stderr)
	assert.Contains(t, state(), `"command":"cotenant sweep --store `+matrix+`.sqlite `+matrix+`"`)
	assert.Contains(t, state(), `"total":30,"done":30`)
	interrupt()
	assert.Equal(t, 0, <-status)
	assert.Equal(t, "cotenant: warning: "+matrix+".sqlite is not there yet\n", stderr.String())
}

func TestServeRefusesWhatItCannotShow(t *testing.T) {
	got := cotenant(t, "serve")
	assert.Equal(t, exitUsage, got.status)
	assert.Contains(t, got.stderr, "valid: serve STORE|FOLDER...")
	got = cotenant(t, "serve", filepath.Join(t.TempDir(), "none", "s.sqlite"))
	assert.Equal(t, exitFailure, got.status)
	assert.Contains(t, got.stderr, "cannot be served: ")
	got = cotenant(t, "serve", ".", "--port", "70000")
	assert.Equal(t, exitUsage, got.status)
}
