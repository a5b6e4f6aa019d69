//go:build !purego

package exec

import "golang.org/x/sys/cpu"

// vectors says that the processor has the instructions of lanes_amd64.s.
var vectors = cpu.X86.HasAVX2 && cpu.X86.HasFMA

// The operations on all lanes' float32, rounded to nearest. They report whether
// all results are numbers; if not, d is to be computed in another way, since
// PTX has one form of NaN only. d may not be a source.

//go:noescape
func addLanes32(d, a, b *slot) bool

//go:noescape
func subLanes32(d, a, b *slot) bool

//go:noescape
func mulLanes32(d, a, b *slot) bool

//go:noescape
func fmaLanes32(d, a, b, c *slot) bool

// The operations on all lanes' 64-bit integers.

//go:noescape
func addLanes(d, a, b *slot)

//go:noescape
func subLanes(d, a, b *slot)

// sineLanes computes the sine and cosine of all lanes' float32, bit for bit as
// sines.compute does. It reports whether it could: no number is 0, large, or
// none.
//
//go:noescape
func sineLanes(sin, cos, of *slot, constants *[22]float64) bool
