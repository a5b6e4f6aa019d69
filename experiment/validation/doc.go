// Package validation measures a GPU by microkernels, each of which shows one
// latency or one bandwidth, and compares what they show with what is published
// of the machine that the GPU stands for. Document writes the comparison for
// people to read: docs/validation.md.
//
// The microkernels are instruction streams made here, and run alone on a whole
// GPU. What is published is data, in a file for each preset under published.
package validation
