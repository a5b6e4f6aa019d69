// Package cli implements the command line: its commands and flags, what they print, and
// how the program ends (end.go).
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"cotenant/options"
	"cotenant/workload"
)

// perform carries out one command line. A panic is an error, too.
func perform(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = bug(fault, args)
		}
	}()
	root := newRoot()
	root.SetArgs(args)
	out := &noted{Writer: stdout}
	root.SetOut(out)
	root.SetErr(stderr)
	err = root.ExecuteContext(ctx)
	if out.err != nil {
		err = fmt.Errorf("standard output: %w", out.err)
	}
	return err
}

// noted is a writer that notes the first error, because cobra drops errors of writing
// help.
type noted struct {
	io.Writer
	err error
}

// Write implements io.Writer.
func (w *noted) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	if w.err == nil {
		w.err = err
	}
	return n, err
}

// crash is a panic as Go shows it: with the stacks of goroutines.
type crash struct{ text string }

// Error is what a Go program that panics would write.
func (c crash) Error() string { return c.text }

// bug makes an error of a panic, in the function that recovered it. GOTRACEBACK asks for
// the stack.
func bug(fault any, args []string) error {
	var stack []byte
	switch os.Getenv("GOTRACEBACK") {
	case "":
		return fmt.Errorf("internal error: %v; please report it with version %s and the command: cotenant %s", fault, version(), quoted(args))
	case "none", "0":
	case "single":
		stack = debug.Stack()
	default:
		stack = make([]byte, 1<<20)
		stack = stack[:runtime.Stack(stack, true)]
	}
	return crash{fmt.Sprintf("panic: %v\n\n%s", fault, stack)}
}

var lineEnds = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ")

// oneLine makes text of users and their files fit for a terminal: line ends become
// spaces, and other characters that do not print, such as escape sequences, are written
// as in Go.
func oneLine(text string) string {
	var b strings.Builder
	text = lineEnds.Replace(text)
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		part := text[i : i+size]
		if !unicode.IsPrint(r) || r == utf8.RuneError && size == 1 {
			part = strings.Trim(strconv.Quote(part), `"`)
		}
		b.WriteString(part)
		i += size
	}
	return b.String()
}

// complain writes an error as one line and returns its exit status, 0 for nil.
func complain(stderr io.Writer, err error) int {
	if err == nil {
		return 0
	}
	if fault := (crash{}); errors.As(err, &fault) {
		fmt.Fprint(stderr, fault.text)
		return exitCrash
	}
	if own := statusError(0); errors.As(err, &own) {
		return int(own)
	}
	text := oneLine(err.Error())
	status := exitFailure
	if errors.As(err, new(usageError)) {
		status = exitUsage
	}
	if errors.Is(err, context.Canceled) {
		if text == context.Canceled.Error() {
			text = "interrupted"
		}
		if !errors.As(err, new(*partialError)) {
			text = strings.TrimSuffix(text, ": "+context.Canceled.Error()) + "; no output file was written"
		}
		status = exitInterrupted
	}
	fmt.Fprintf(stderr, "cotenant: %s\n", text)
	return status
}

// warn writes a warning in a line.
func warn(stderr io.Writer, text string) {
	fmt.Fprintf(stderr, "cotenant: warning: %s\n", oneLine(text))
}

// usageError is a command line that means nothing.
type usageError struct{ error }

// Unwrap returns the error itself.
func (e usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error {
	return usageError{fmt.Errorf(format, args...)}
}

// usageUnlessInput makes a usage error of an error, unless a file is at fault.
func usageUnlessInput(err error) error {
	if fault := (*workload.InputError)(nil); err == nil || errors.As(err, &fault) {
		return err
	}
	return usageError{err}
}

// quoted writes arguments so that they can be pasted into a shell.
func quoted(args []string) string {
	list := make([]string, len(args))
	for i, a := range args {
		list[i] = options.Quoted(a)
	}
	return strings.Join(list, " ")
}
