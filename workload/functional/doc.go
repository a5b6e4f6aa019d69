// Package functional executes kernels without a timing model: what a program
// does, not how long it takes.
package functional
