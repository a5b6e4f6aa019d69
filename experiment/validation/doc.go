// Package validation measures a GPU by microkernels, each for one latency or bandwidth, and
// compares the figures with published ones of the GPU's machine. Document writes the
// comparison for readers: docs/validation.md.
//
// The microkernels are instruction streams made here, and run alone on a whole GPU. Published
// figures are data, in a file for each preset under published.
package validation
