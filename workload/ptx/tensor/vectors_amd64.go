//go:build !purego

package tensor

import "golang.org/x/sys/cpu"

// vectors says that the processor has the instructions of vectors_amd64.s.
var vectors = cpu.X86.HasAVX2 && cpu.X86.HasFMA // every processor with both converts f16 too

// decodeHalves takes n patterns of f16 apart, a multiple of 8. It reports whether all are numbers.
//
//go:noescape
func decodeHalves(to *decoded, patterns *uint64, n int) bool

// decodeSingles takes n patterns apart, a multiple of 8, which are the upper bits of an f32 after a
// shift to the left. It reports whether all are normal numbers or zero.
//
//go:noescape
func decodeSingles(to *decoded, patterns *uint64, n int, shift uint64, mask uint32) bool

// multiplyRows sets D. It reports whether all sums are normal numbers of D's type, or zero;
// subnormal ones too if D is f16.
//
//go:noescape
func multiplyRows(p *product) bool

// decodeBytes widens n patterns of 8 bits, a multiple of 8.
//
//go:noescape
func decodeBytes(to *[maxRows * maxDepth]int32, patterns *uint64, n int, signed bool)

// multiplyBytes sets D.
//
//go:noescape
func multiplyBytes(p *integers)
