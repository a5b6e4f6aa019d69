package programs

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/tebeka/atexit"
	"golang.org/x/sys/unix"

	"cotenant/staging"
	"cotenant/workload"
)

// Names of the environment variables that tell a program its descriptors, as in runtime/protocol.h.
const (
	socketVariable = "COTENANT_SOCKET"
	memoryVariable = "COTENANT_MEMORY"
	lifeVariable   = "COTENANT_LIFE"
)

// executableVariable is the environment variable that names what compiles for a program (runtime/nvrtc.c).
const executableVariable = "COTENANT_EXECUTABLE"

// process is a running program.
type process struct {
	cmd    *exec.Cmd
	mark   string // of its descendants
	socket *os.File
	life   *os.File      // the writing end of a pipe that ends with the simulator
	calls  *bufio.Reader // requests, from the socket
	mapped []byte        // the device's memory, and behind it the queue
	memory []byte        // the device's
	queue  queue
	limit  time.Duration
	output *tail // nil if it goes elsewhere
	once   sync.Once
	status error         // of the ended process
	fault  error         // of the last answer
	folder *staging.Path // its own, to be removed; nil if it has none
	// cpu is the processor time that the process has taken up to its last call, and quiet since when
	// it has taken none.
	cpu   time.Duration
	quiet time.Time
}

// start starts a program.
func start(s *Spec) (*process, error) {
	if s.Files == PrivateFiles {
		return startPrivately(s)
	}
	return begin(s, s.Dir)
}

// begin starts a program in a folder, with further variables.
func begin(s *Spec, folder string, variables ...string) (*process, error) {
	sockets, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("%s: no socket for the program: %w", s.Program, err)
	}
	theirs := os.NewFile(uintptr(sockets[1]), "socket")
	defer theirs.Close()
	if err := unix.SetNonblock(sockets[0], true); err != nil { // so that reading has a deadline
		return nil, err
	}
	p := &process{mark: newMark(), socket: os.NewFile(uintptr(sockets[0]), "socket"), limit: s.CPUTimeout}
	if p.limit == 0 {
		p.limit = DefaultCPUTimeout
	}
	memory, err := unix.MemfdCreate("cotenant device memory", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		p.socket.Close()
		return nil, fmt.Errorf("%s: no memory for the device: %w", s.Program, err)
	}
	memoryFile := os.NewFile(uintptr(memory), "memory")
	defer memoryFile.Close()
	size := s.Device.memoryBytes()
	if err = memoryFile.Truncate(int64(size + queueBytes)); err == nil { // the program cannot take it away again
		_, err = unix.FcntlInt(memoryFile.Fd(), unix.F_ADD_SEALS, unix.F_SEAL_SHRINK|unix.F_SEAL_GROW|unix.F_SEAL_SEAL)
	}
	if err == nil {
		p.mapped, err = unix.Mmap(memory, 0, size+queueBytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_NORESERVE)
	}
	if err != nil {
		p.socket.Close()
		return nil, fmt.Errorf("%s: no memory for the device: %w", s.Program, err)
	}
	p.memory, p.queue.shared = p.mapped[:size:size], p.mapped[size:]
	theirLife, life, err := os.Pipe()
	if err != nil {
		p.release()
		return nil, fmt.Errorf("%s: no pipe for the program: %w", s.Program, err)
	}
	defer theirLife.Close()
	p.life = life
	p.command(s, theirs, memoryFile, theirLife)
	p.cmd.Dir = folder
	p.cmd.Env = append(p.cmd.Env, variables...)
	adopt(1)
	if err := launch(p.cmd); err != nil {
		adopt(-1)
		p.release()
		return nil, fmt.Errorf("%s: cannot be started: %w", s.Program, workload.WithoutPath(err))
	}
	p.calls, p.quiet = bufio.NewReader(p), time.Now()
	alive.add(p)
	return p, nil
}

// command describes the process.
func (p *process) command(s *Spec, socket, memory, life *os.File) {
	p.cmd = &exec.Cmd{Path: s.Program, Args: append([]string{s.Program}, s.Args...)}
	if path, err := filepath.Abs(s.Program); err == nil {
		p.cmd.Path = path
	}
	p.cmd.ExtraFiles = []*os.File{socket, memory, life} // 3, 4 and 5
	if self, err := os.Executable(); err == nil {
		// Another that the environment names comes behind, and counts.
		p.cmd.Env = append(p.cmd.Env, executableVariable+"="+self)
	}
	p.cmd.Env = append(slices.Concat(p.cmd.Env, os.Environ(), s.Environment), socketVariable+"=3", memoryVariable+"=4", lifeVariable+"=5", markVariable+"="+p.mark)
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	p.cmd.WaitDelay = time.Second // for output that a child of the program may keep open
	p.output = &tail{}
	p.cmd.Stdout, p.cmd.Stderr = p.output, p.output
	if s.Stdin != nil {
		p.cmd.Stdin = s.Stdin
		if terminal(s.Stdin) { // which only the foreground's group may read
			p.cmd.SysProcAttr.Setpgid = false
		}
	}
	if s.Stdout != nil {
		p.cmd.Stdout = s.Stdout
	}
	if s.Stderr != nil {
		p.cmd.Stderr = s.Stderr
	}
}

func terminal(f *os.File) bool {
	_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	return err == nil
}

// Linux kills a process with Pdeathsig when the thread that has started it ends, not when the simulator
// does. So all are started by one thread that never ends. Its processes have fixed addresses.
var starts = sync.OnceValue(func() chan func() {
	c := make(chan func())
	go func() {
		runtime.LockOSThread()
		const noRandomize = 0x0040000 // ADDR_NO_RANDOMIZE of linux/personality.h
		// Where it is forbidden, addresses of the host differ from run to run; the device's do not.
		_, _, _ = unix.Syscall(unix.SYS_PERSONALITY, noRandomize, 0, 0)
		for f := range c {
			f()
		}
	}()
	return c
})

func launch(cmd *exec.Cmd) error {
	done := make(chan error)
	starts() <- func() { done <- cmd.Start() }
	return <-done
}

// alive are the processes that run, to be ended when the simulator ends.
var alive living

type living struct {
	sync.Mutex
	processes map[*process]bool
	once      sync.Once
}

func (l *living) add(p *process) {
	l.once.Do(func() { atexit.Register(l.end) })
	l.Lock()
	defer l.Unlock()
	if l.processes == nil {
		l.processes = map[*process]bool{}
	}
	l.processes[p] = true
}

func (l *living) remove(p *process) {
	l.Lock()
	defer l.Unlock()
	delete(l.processes, p)
}

// end kills all of them.
func (l *living) end() {
	l.Lock()
	defer l.Unlock()
	for p := range l.processes {
		p.kill()
	}
}

// kill ends the process and its group. It must not have been waited for.
func (p *process) kill() {
	if p.cmd.SysProcAttr.Setpgid {
		_ = unix.Kill(-p.cmd.Process.Pid, unix.SIGKILL)
	}
	_ = unix.Kill(p.cmd.Process.Pid, unix.SIGKILL)
}

// interrupt ends the process while another goroutine waits for it.
func (p *process) interrupt() {
	alive.Lock()
	defer alive.Unlock()
	if alive.processes[p] {
		p.kill()
	}
}

// Close ends the process and what it has started, and frees the device's memory.
func (p *process) Close() error {
	_ = p.wait(true) // however it ends
	p.release()
	return nil
}

// errClosed is of a process that has closed its socket and has not ended.
var errClosed = errors.New("waits for something and has closed its connection; valid: a program that ends then")

// wait waits for the end of the process, or kills it. Its descendants are killed at its end. The device's
// memory stays: kernels may still be under way.
func (p *process) wait(kill bool) error {
	p.once.Do(func() {
		ended := kill || p.exits()
		p.kill()
		alive.remove(p)
		_ = unix.Waitid(unix.P_PID, p.cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		p.endStrays()
		p.status = p.cmd.Wait()
		adopt(-1)
		if !ended {
			p.status = errClosed
		}
		p.socket.Close()
		if p.folder != nil {
			p.folder.Remove()
		}
	})
	return p.status
}

// exits waits for a process that has closed its socket, for as long as it may be silent. The process stays
// a zombie, so that its number cannot be given to another group.
func (p *process) exits() bool {
	pause := 20 * time.Microsecond
	for end := time.Now().Add(p.limit); time.Now().Before(end); pause = min(2*pause, 50*time.Millisecond) {
		if p.zombie() {
			return true
		}
		time.Sleep(pause)
	}
	return false
}

// zombie reports whether the process has ended.
func (p *process) zombie() bool {
	var info unix.Siginfo
	err := unix.Waitid(unix.P_PID, p.cmd.Process.Pid, &info, unix.WEXITED|unix.WNOWAIT|unix.WNOHANG, nil)
	return err != nil && err != unix.EINTR || info.Signo != 0
}

// release gives back what the simulator holds.
func (p *process) release() {
	p.socket.Close()
	if p.life != nil {
		p.life.Close()
	}
	if p.mapped != nil {
		_ = unix.Munmap(p.mapped)
		p.mapped, p.memory, p.queue.shared = nil, nil, nil
	}
}

// look is how often a silent process is looked at.
const look = time.Second

// Write writes to the socket. It returns an error if the process does not read for longer than it may.
func (p *process) Write(b []byte) (n int, err error) {
	for {
		if err := p.socket.SetWriteDeadline(time.Now().Add(look)); err != nil {
			return n, err
		}
		m, err := p.socket.Write(b[n:])
		n += m
		if m > 0 {
			p.quiet = time.Now()
		}
		if n == len(b) || !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
		if time.Since(p.quiet) > p.limit {
			return n, fmt.Errorf("has not read the answers to its calls for %v; valid: up to that, the host timeout", p.limit)
		}
	}
}

// Read reads from the socket. It returns an error if the process computes, or sleeps, for longer than it
// may.
func (p *process) Read(b []byte) (int, error) {
	for {
		if err := p.socket.SetReadDeadline(time.Now().Add(look)); err != nil {
			return 0, err
		}
		n, err := p.socket.Read(b)
		if n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
			if errors.Is(err, syscall.ECONNRESET) {
				err = io.EOF
			}
			return n, err
		}
		if p.zombie() { // a child of it has kept the socket open
			return 0, io.EOF
		}
		if err := p.patience(); err != nil {
			return 0, err
		}
	}
}

// patience returns an error if the process has computed without a call, or has done nothing, for too
// long.
func (p *process) patience() error {
	now := time.Now()
	taken := processorTime(p.cmd.Process.Pid)
	if p.queue.grows() { // by calls that wait for no reply
		p.cpu, p.quiet = taken, now
	}
	switch since := taken - p.cpu; {
	case since > p.limit:
		return fmt.Errorf("has computed for %v without a call of CUDA; valid: up to %v, the host timeout", since.Round(time.Second), p.limit)
	case since > 0:
		p.quiet = now
	}
	if now.Sub(p.quiet) > p.limit {
		return fmt.Errorf("waits for something and has made no call of CUDA for %v; valid: up to that, the host timeout", p.limit)
	}
	return nil
}

// called notes a call.
func (p *process) called() {
	if time.Since(p.quiet) > look { // else it cannot matter
		p.cpu = processorTime(p.cmd.Process.Pid)
		p.quiet = time.Now()
	}
}

// processorTime is the time that a process has computed, 0 if it cannot be known (proc(5): utime and
// stime of /proc/PID/stat, in hundredths of a second).
func processorTime(pid int) time.Duration {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.ParseInt(fields[11], 10, 64)
	system, _ := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * 10 * time.Millisecond
}

// tail keeps the last of a program's output.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const tailBytes = 2000

// Write implements io.Writer.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, b[max(0, len(b)-tailBytes):]...)
	t.text = t.text[max(0, len(t.text)-tailBytes):]
	return len(b), nil
}

// last is the last line that is not empty.
func (t *tail) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(strings.TrimRight(string(t.text), "\n "), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}
