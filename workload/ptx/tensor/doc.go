// Package tensor computes what tensor cores do: products of small matrices that the lanes of a
// warp hold in pieces, with the rounding of an architecture.
package tensor
