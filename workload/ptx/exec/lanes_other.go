//go:build !amd64 || purego

package exec

// Without vector instructions the lanes are computed one after another: nothing
// calls what would use them.
const vectors = false

func addLanes(d, a, b *slot)           {}
func subLanes(d, a, b *slot)           {}
func addLanes32(d, a, b *slot) bool    { return false }
func subLanes32(d, a, b *slot) bool    { return false }
func mulLanes32(d, a, b *slot) bool    { return false }
func fmaLanes32(d, a, b, c *slot) bool { return false }

func sineLanes(sin, cos, of *slot, constants *[22]float64) bool { return false }
