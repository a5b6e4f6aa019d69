//go:build !windows

package shell

import "syscall"

// there reports whether there is a process of a number.
func there(process int) bool { return syscall.Kill(process, 0) == nil }
