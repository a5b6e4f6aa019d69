package page

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"cotenant/observe/look"
	"cotenant/observe/look/vision"
	"cotenant/sm"
)

func TestNoCauseHasATenantsColour(t *testing.T) {
	for name, eyes := range vision.Visions {
		for cause, f := range causeFills {
			for k := range look.Colours {
				tenant := vision.Seen(look.Colour(k), eyes)
				assert.Greater(t, vision.Apart(vision.Seen(f.ground, eyes), tenant), 0.09, "%s: %s and tenant %d", name, sm.Cause(cause), k)
				if f.hatched() {
					assert.Greater(t, vision.Apart(vision.Seen(f.hatch.Ink, eyes), tenant), 0.09, "%s: lines of %s and tenant %d", name, sm.Cause(cause), k)
				}
			}
		}
	}
}

// Two causes differ in their grounds' lightness, or one has lines that the other
// has not, or their lines slope differently.
func TestCausesDifferWithoutColour(t *testing.T) {
	eyes := vision.Visions["all cones"]
	for i, f := range causeFills {
		for k, g := range causeFills[:i] {
			light := math.Abs(vision.Seen(f.ground, eyes)[0] - vision.Seen(g.ground, eyes)[0])
			slope := f.hatched() != g.hatched() || f.hatched() && f.hatch.Degrees != g.hatch.Degrees
			assert.True(t, light > 0.2 || slope, "%s and %s", sm.Cause(k), sm.Cause(i))
		}
	}
}
