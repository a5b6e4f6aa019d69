// Package smallfloat converts between float64 and the floating-point formats of at most 19
// bits: f16, bf16, tf32, e4m3 and e5m2.
package smallfloat
