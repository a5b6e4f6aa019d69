//go:build !linux

package wiring

// manySMs is the number of SMs from which on a simulation uses huge pages.
const manySMs = 32

// useHugePages does nothing: other systems choose the size of pages themselves.
func useHugePages() {}
