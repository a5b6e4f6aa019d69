package programs

import (
	"errors"
	"fmt"
	"io"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// peer makes a Session's requests: the process of a program, or a capture of one.
type peer interface {
	// request waits for the next request. io.EOF means that there is none; any other error is the
	// program's fault.
	request(*request) error
	// answer sends the reply of a request of a kind.
	answer(kind, *reply)
	// computed is the processor time that the program has taken so far.
	computed() time.Duration
	// device is the device's memory, as long as the peer has not been closed.
	device() []byte
	// print puts what a kernel has printed beside the program's output.
	print(text string)
	// ended returns how the program has ended, once there is no request any more: nil, an ExitError, or an
	// error that says what keeps it.
	ended() error
	// stop ends the program, and returns the last line of its output.
	stop() string
	// Close stops the program and frees the device's memory.
	Close() error
}

// request makes process a peer.
func (p *process) request(r *request) error {
	if p.queue.waiting {
		return p.queue.next(r)
	}
	if p.fault != nil && !errors.Is(p.fault, syscall.EPIPE) && !errors.Is(p.fault, syscall.ECONNRESET) {
		return p.fault
	}
	err := readRequest(p.calls, r)
	if err == nil {
		p.called()
	}
	p.queue.take(*r, err)
	return p.queue.next(r)
}

// answer makes process a peer. A program that cannot be reached has ended, as the next request tells.
func (p *process) answer(k kind, r *reply) { p.fault = writeReply(p, k, r) }

// computed makes process a peer (clock_getcpuclockid(3)).
func (p *process) computed() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(int32(^p.cmd.Process.Pid<<3|2), &t); err != nil {
		return 0 // it has ended
	}
	return time.Duration(t.Nano())
}

func (p *process) device() []byte { return p.memory }

// print makes process a peer.
func (p *process) print(text string) { _, _ = io.WriteString(p.cmd.Stdout, text) }

// ended makes process a peer.
func (p *process) ended() error {
	err := p.wait(false)
	switch {
	case err == nil, errors.Is(err, exec.ErrWaitDelay): // a child has kept its output open
		return nil
	case errors.Is(err, errClosed):
		return err
	}
	return &ExitError{Status: p.cmd.ProcessState.ExitCode(), text: err.Error()}
}

func (p *process) stop() string {
	_ = p.wait(true) // however it ends
	return p.output.last()
}

// ExitError is of a program that ends with a status other than 0.
type ExitError struct {
	// Status is its exit status, -1 if a signal has ended it.
	Status int
	text   string
}

// Error says so.
func (e *ExitError) Error() string { return fmt.Sprintf("the program has ended with %s", e.text) }
