// Package cli is the command line: its commands and flags, what they print, and
// how the program ends.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode"
	"unicode/utf8"

	"cotenant/workload"
)

// Exit statuses. A failure is an input file that is wrong, a simulation that
// could not be carried out or an output that could not be written; a usage
// error is a command line that means nothing.
const (
	exitFailure     = 1
	exitUsage       = 2
	exitInterrupted = 130 // as shells report SIGINT
)

// grace is how long a command may take to end after a signal. Simulations look
// for one often; opening a pipe that nobody writes to, or reading a thread
// block of hundreds of megabytes, cannot.
const grace = 2 * time.Second

// Main runs a command line, of which args is what follows the program's name,
// until it has ended or a signal ends it, and returns the exit status.
func Main(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	endAfter(ctx, grace, func() {
		discardStaged()
		os.Exit(complain(os.Stderr, fmt.Errorf("interrupted: %w", context.Canceled)))
	})
	return execute(ctx, args, os.Stdout, os.Stderr)
}

// endAfter calls end a while after ctx has ended.
func endAfter(ctx context.Context, wait time.Duration, end func()) {
	context.AfterFunc(ctx, func() {
		time.Sleep(wait)
		end()
	})
}

// execute runs one command line and returns its exit status. Whatever goes
// wrong is one line on stderr.
func execute(ctx context.Context, args []string, stdout, stderr io.Writer) (status int) {
	defer func() {
		// GOTRACEBACK is set by those who want to see where it happened.
		if fault := recover(); fault != nil {
			if os.Getenv("GOTRACEBACK") != "" {
				panic(fault)
			}
			text := fmt.Sprintf("internal error: %v; please report it with version %s and the command: cotenant %s", fault, version(), quoted(args))
			status = complain(stderr, errors.New(text))
		}
	}()
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	if err := root.ExecuteContext(ctx); err != nil {
		return complain(stderr, err)
	}
	return 0
}

var lineEnds = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ")

// oneLine makes text that users and their files wrote fit for a terminal: line
// ends become spaces; other characters that do not print, escape sequences
// among them, are written as in Go.
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

// complain writes an error as one line and returns the exit status it means.
func complain(stderr io.Writer, err error) int {
	text := oneLine(err.Error())
	status := exitFailure
	if errors.As(err, new(usageError)) {
		status = exitUsage
	}
	if errors.Is(err, context.Canceled) {
		text = strings.TrimSuffix(text, ": "+context.Canceled.Error()) + "; no output file was written"
		status = exitInterrupted
	}
	fmt.Fprintf(stderr, "cotenant: %s\n", text)
	return status
}

// usageError is a command line that means nothing.
type usageError struct{ error }

// Unwrap returns the error itself.
func (e usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error {
	return usageError{fmt.Errorf(format, args...)}
}

// usageUnlessInput makes an error one of usage, unless a file is at fault.
func usageUnlessInput(err error) error {
	if fault := (*workload.InputError)(nil); err == nil || errors.As(err, &fault) {
		return err
	}
	return usageError{err}
}

// quoted writes arguments as a shell would take them.
func quoted(args []string) string {
	list := make([]string, len(args))
	for i, a := range args {
		list[i] = a
		if a == "" || strings.ContainsAny(a, " \t\n'\"\\$&?*;|<>()`") {
			list[i] = strconv.Quote(a)
		}
	}
	return strings.Join(list, " ")
}

// version is the commit that the program was built from, where the build knows
// it, and else "dev". It is the same in every run of one program.
func version() string {
	revision, modified := "dev", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				revision = s.Value[:min(12, len(s.Value))]
			case s.Key == "vcs.modified" && s.Value == "true":
				modified = "+changes"
			}
		}
	}
	return revision + modified
}
