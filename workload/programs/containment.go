package programs

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// markVariable is the environment variable by which a program's descendants are known, whatever process
// group or session they have moved to.
const markVariable = "COTENANT_RUN"

var marks atomic.Uint32

// newMark is the value of markVariable for another process: always of the same length, so that the program's
// stack has the same addresses in every run.
func newMark() string {
	b := binary.BigEndian.AppendUint32(nil, uint32(os.Getpid()))
	return hex.EncodeToString(binary.BigEndian.AppendUint32(b, marks.Add(1)))
}

// adopting counts the processes with descendants that are the simulator's.
var adopting struct {
	sync.Mutex
	processes int
}

// adopt makes the simulator the parent of descendants whose own parents have ended (prctl(2)), as long as the
// processes are more than none. Where that is impossible they are init's children, and only a program's process
// group is ended.
func adopt(processes int) {
	adopting.Lock()
	defer adopting.Unlock()
	adopting.processes += processes
	on := uintptr(0)
	if adopting.processes > 0 {
		on = 1
	}
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, on, 0, 0, 0)
}

// strayTime bounds the search for descendants, which may start others meanwhile.
const strayTime = 5 * time.Second

// endStrays ends the descendants of a process that has ended: each is the simulator's child once its parents
// have ended.
func (p *process) endStrays() {
	for end := time.Now().Add(strayTime); time.Now().Before(end); {
		list := p.strays()
		for _, pid := range list {
			_ = unix.Kill(pid, unix.SIGKILL)
		}
		for _, pid := range list {
			_, _ = unix.Wait4(pid, nil, 0, nil)
		}
		if len(list) == 0 {
			return
		}
	}
}

// strays lists the simulator's children that descend from the process, without the process itself.
func (p *process) strays() (list []int) {
	threads, _ := os.ReadDir("/proc/self/task")
	for _, t := range threads {
		text, _ := os.ReadFile("/proc/self/task/" + t.Name() + "/children")
		for _, field := range strings.Fields(string(text)) {
			if pid, err := strconv.Atoi(field); err == nil && pid != p.cmd.Process.Pid && p.descends(pid) {
				list = append(list, pid)
			}
		}
	}
	return list
}

// descends reports whether a child is in the process' group or carries its mark.
func (p *process) descends(pid int) bool {
	if group, err := unix.Getpgid(pid); err == nil && group == p.cmd.Process.Pid && p.cmd.SysProcAttr.Setpgid {
		return true
	}
	environment, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	return bytes.Contains(environment, []byte(markVariable+"="+p.mark))
}
