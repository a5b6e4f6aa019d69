//go:build !windows

package spool

import (
	"os/exec"
	"syscall"
)

// Detach has a command begin a group of its own, which the terminal's signals do not
// reach.
func Detach(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
