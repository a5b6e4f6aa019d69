package sweep

import (
	"os/exec"
	"syscall"
)

// detach has a child killed when this process is, and out of reach of the
// terminal's Ctrl-C: the sweep itself ends its children, and would take one
// that ended before it for a failure.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
