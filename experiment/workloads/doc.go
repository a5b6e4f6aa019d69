// Package workloads measures what the built-in applications of real kernels ask
// of a GPU when they have it alone, kernel by kernel, and keeps the figures so
// that they can be looked up without a simulation.
package workloads
