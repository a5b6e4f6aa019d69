package sweep

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// maxComplaint bounds what is kept of a child's standard error, its end.
const maxComplaint = 4 << 10

// patience is how long a command that has been told to end may tidy up.
const patience = time.Second

// child runs a command on some input and returns the JSON that it writes, without white
// space. The error is the command's complaint. The command is told to end when ctx ends, and killed
// if it does not; on Linux it is killed when this process ends.
func child(ctx context.Context, command []string, input []byte) (json.RawMessage, error) {
	// A child dies with the thread that began it (see detach).
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Args[0] = "cotenant" // for ps: the path may be /proc/self/exe
	var stdout, text bytes.Buffer
	stderr := &tail{}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(input), &stdout, stderr
	detach(cmd)
	cmd.Cancel = func() error {
		// After the second signal it only tidies up.
		_ = cmd.Process.Signal(syscall.SIGINT)
		return cmd.Process.Signal(syscall.SIGTERM)
	}
	cmd.WaitDelay = patience
	if err := cmd.Run(); err != nil {
		awaitSignal(ctx, cmd.ProcessState)
		return nil, complaint(err, stderr.String())
	}
	if err := json.Compact(&text, stdout.Bytes()); err != nil {
		return nil, fmt.Errorf("it wrote no JSON: %w", err)
	}
	return text.Bytes(), nil
}

// awaitSignal gives ctx time to end after a command that was told to end. A batch system
// that cancels a task signals all of the task's processes, this one included, in any order.
func awaitSignal(ctx context.Context, state *os.ProcessState) {
	if state == nil { // the command did not begin
		return
	}
	status, ok := state.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() || status.Signal() != syscall.SIGTERM {
		return
	}
	select {
	case <-ctx.Done():
	case <-time.After(patience):
	}
}

// complaint is what a command that failed said last, and how it ended if it did
// not end by itself.
func complaint(err error, stderr string) error {
	lines := strings.Split(strings.TrimSpace(stderr), "\n")
	last := strings.TrimPrefix(lines[len(lines)-1], "cotenant: ")
	var exit *exec.ExitError
	switch ended := errors.As(err, &exit) && exit.Exited(); {
	case last == "":
		return err
	case ended:
		return errors.New(last)
	}
	return fmt.Errorf("%w: %s", err, last)
}

// tail keeps the end of what is written to it.
type tail struct{ text []byte }

// Write takes everything.
func (t *tail) Write(p []byte) (int, error) {
	t.text = append(t.text, p...)
	if extra := len(t.text) - maxComplaint; extra > 0 {
		t.text = t.text[extra:]
	}
	return len(p), nil
}

// String is what is kept.
func (t *tail) String() string { return string(t.text) }
