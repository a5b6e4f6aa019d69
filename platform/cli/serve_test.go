package cli

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/observe/serve"
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

// TestServeTellsHowRealSweepsEnded has sweeps fail, be interrupted and be killed.
func TestServeTellsHowRealSweepsEnded(t *testing.T) {
	matrix := sweepFiles(t)
	server, err := serve.New([]string{matrix + ".sqlite"})
	require.NoError(t, err)
	defer server.Close()
	handler, err := server.Handler()
	require.NoError(t, err)
	h := httptest.NewServer(handler)
	defer h.Close()
	type sweep struct {
		State, Message string
		Done, Failed   int
		Failures       []struct{ Run, Message string }
	}
	state := func() sweep {
		answer, err := http.Get(h.URL + "/live.json")
		require.NoError(t, err)
		defer answer.Body.Close()
		var s struct{ Stores []struct{ Sweeps []sweep } }
		require.NoError(t, json.NewDecoder(answer.Body).Decode(&s))
		require.Len(t, s.Stores, 1)
		if len(s.Stores[0].Sweeps) == 0 {
			return sweep{}
		}
		return s.Stores[0].Sweeps[0]
	}
	b := filepath.Join(filepath.Dir(matrix), "b.yaml")
	require.NoError(t, os.WriteFile(b, []byte(strings.Replace(smallApp, "threads: 64", "threads: 1024, shared_bytes_per_tb: 900000", 1)), 0o600))
	require.Equal(t, 1, sweepTo(t, matrix, "--quiet").status)
	got := state()
	assert.Equal(t, []any{"failed", 10, 20}, []any{got.State, got.Done, got.Failed})
	require.NotEmpty(t, got.Failures)
	assert.Regexp(t, `^cotenant run --gpu \S+ --policy fcfs --app \S+b.yaml --cycles 2000 --seed 5$`, got.Failures[0].Run)
	assert.Contains(t, got.Failures[0].Message, "900000")

	require.NoError(t, os.WriteFile(b, []byte(strings.Replace(smallApp, "instructions: 50", "instructions: 500000", 1)), 0o600))
	begun := start(t, "sweep", matrix, "--store", matrix+".sqlite", "--quiet")
	require.Eventually(t, func() bool { return state().State == "running" }, 10*time.Second, 10*time.Millisecond)
	assert.Equal(t, exitInterrupted, begun.end(t))
	got = state()
	assert.Equal(t, "stopped", got.State)
	assert.Regexp(t, `^interrupted; \S+ has \d+ of 30 runs, and the same command goes on from there$`, got.Message)
	assert.Zero(t, got.Failed, "the failures of the attempt before")

	c := program(t, "sweep", matrix, "--store", matrix+".sqlite", "--quiet")
	require.Eventually(t, func() bool { return state().State == "running" }, 10*time.Second, 10*time.Millisecond)
	require.NoError(t, c.Process.Kill())
	_ = c.Wait()
	db, err := sql.Open("sqlite", "file:"+matrix+".sqlite?_pragma=busy_timeout(60000)")
	require.NoError(t, err)
	defer db.Close()
	_, err = db.Exec("UPDATE attempts SET beat = beat - 31") // as 31 seconds later
	require.NoError(t, err)
	assert.Equal(t, "dead", state().State)
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
