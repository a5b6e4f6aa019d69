// Package tests holds the tests and benchmarks that cross packages: whole GPUs
// that run microkernels, profiles and traces.
package tests
