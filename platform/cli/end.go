package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/tebeka/atexit"
)

// Exit statuses (docs/output.md). A failure is a wrong or missing input file, a
// simulation that could not be carried out, or an output that could not be written; a
// usage error is a command line that means nothing.
const (
	exitFailure     = 1
	exitUsage       = 2
	exitCrash       = 2   // as of a Go program that panics
	exitSignal      = 128 // and the signal's number, as shells report it
	exitInterrupted = exitSignal + int(syscall.SIGINT)
)

// grace is how long a command may take to end after a signal. Simulations look for a
// signal often; opening a pipe without a writer, or reading a thread block of hundreds
// of megabytes, cannot.
const grace = 2 * time.Second

// partialGrace is how long run --partial may take to write what it has reached.
const partialGrace = time.Minute

// longGrace is the present grace in nanoseconds, if a command has set one.
var longGrace atomic.Int64

// setGrace gives the command another time to end after a signal.
func setGrace(d time.Duration) { longGrace.Store(int64(d)) }

// Main carries out a command line until it has ended or a signal ends it, and ends the
// program. args follow the program's name.
func Main(args []string) {
	putOffCollection()
	ctx, interrupt := context.WithCancelCause(context.Background())
	atexit.Register(endBar)
	heedSignals(interrupt)
	err := perform(ctx, args, standard{os.Stdout}, standard{os.Stderr})
	leave(func() int { return lastWord(os.Stderr, err, context.Cause(ctx)) })
}

// interruption is the signal that interrupted the command.
type interruption struct{ signal syscall.Signal }

// Error says so.
func (i interruption) Error() string { return "interrupted by " + i.signal.String() }

// lastWord writes an error where a bar may be, and returns its status: that of the
// signal, if a signal interrupted the command.
func lastWord(stderr io.Writer, err, cause error) int {
	endBar()
	status := complain(stderr, err)
	if by := (interruption{}); status == exitInterrupted && errors.As(cause, &by) {
		status = exitSignal + int(by.signal)
	}
	return status
}

// leaving stays locked once the program ends.
var leaving sync.Mutex

// leave ends the program with a status, after the handlers of atexit. All ends go
// through it; a second caller waits.
func leave(status func() int) {
	leaving.Lock()
	atexit.Exit(status())
}

// heedSignals listens for signals. The first interrupts the command, which then has grace
// to end by itself; the second ends the program. SIGHUP ends it at once: the terminal is
// gone, and with it the reader of messages. Go handles SIGQUIT, and shows all goroutines.
func heedSignals(interrupt context.CancelCauseFunc) {
	signals := make(chan os.Signal, 4) // room for all, if they come at once
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // as under nohup
		signal.Notify(signals, syscall.SIGHUP)
	}
	signal.Ignore(syscall.SIGPIPE) // standard sees to it
	go func() {
		s := <-signals
		if s != syscall.SIGHUP {
			by := interruption{s.(syscall.Signal)}
			interrupt(by)
			time.AfterFunc(max(grace, time.Duration(longGrace.Load())), func() {
				leave(func() int { return lastWord(os.Stderr, fmt.Errorf("interrupted: %w", context.Canceled), by) })
			})
			s = <-signals
		}
		signal.Reset(os.Interrupt, syscall.SIGTERM) // a further one ends it whatever it is doing
		leave(func() int { return exitSignal + int(s.(syscall.Signal)) })
	}()
}

// standard is standard output or standard error. Once its reader has gone, writing to it
// ends the program without a word, as SIGPIPE would.
type standard struct{ file *os.File }

// errClosed is of standard output that was closed when the program began.
var errClosed = errors.New("it is closed; redirect it to a file, or to " + os.DevNull)

// Write implements io.Writer.
func (s standard) Write(p []byte) (int, error) {
	if s.file == os.Stdout && stdoutClosed() {
		return 0, errClosed
	}
	n, err := s.file.Write(p)
	if errors.Is(err, syscall.EPIPE) {
		leave(func() int { return exitSignal + int(syscall.SIGPIPE) })
	}
	return n, err
}

// Fd is the file's descriptor, by which a terminal is known.
func (s standard) Fd() uintptr { return s.file.Fd() }
