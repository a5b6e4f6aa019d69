//go:build windows

package spool

import "os/exec"

// Detach does nothing.
func Detach(*exec.Cmd) {}
