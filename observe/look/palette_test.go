package look

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"cotenant/observe/look/vision"
)

// Okabe and Ito's own colours are 0.076 apart at the least.
func TestEightTenantsDifferToTheColourBlindToo(t *testing.T) {
	for name, eyes := range vision.Visions {
		for i := range Colours {
			for k := range i {
				assert.Greater(t, vision.Apart(vision.Seen(Colour(i), eyes), vision.Seen(Colour(k), eyes)), 0.075, "%s: tenants %d and %d", name, k, i)
			}
		}
	}
}
