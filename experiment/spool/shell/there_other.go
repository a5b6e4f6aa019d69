//go:build windows

package shell

// there knows of no process here: a line of another process counts as ended.
func there(int) bool { return false }
