package programs

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// ForbidOverlays acts as if the operating system could not cover folders, until undo is called.
func ForbidOverlays() (undo func()) {
	before := uncoverable.Swap(int32(unix.EPERM))
	return func() { uncoverable.Store(before) }
}

// Uncoverable is why the operating system could not cover folders, 0 if it could.
func Uncoverable() syscall.Errno { return syscall.Errno(uncoverable.Load()) }
