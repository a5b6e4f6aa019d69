//go:build !linux

package wiring

// useHugePages does nothing: other systems choose the size of pages themselves.
func useHugePages() {}
