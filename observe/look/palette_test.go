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

// In dark surroundings too, tenants differ from each other, from the greys and from the
// ground.
func TestEightTenantsDifferOnADarkGround(t *testing.T) {
	tone := func(colour string) string {
		if dark, ok := Tones[colour]; ok {
			return dark
		}
		return colour
	}
	for name, eyes := range vision.Visions {
		for i := range Colours {
			mine := vision.Seen(tone(Colour(i)), eyes)
			for k := range i {
				assert.Greater(t, vision.Apart(mine, vision.Seen(tone(Colour(k)), eyes)), 0.075, "%s: tenants %d and %d", name, k, i)
			}
			for _, grey := range []string{Ink, Slate, Paper, White, "#ffffff"} {
				assert.Greater(t, vision.Apart(mine, vision.Seen(tone(grey), eyes)), 0.075, "%s: tenant %d and %s", name, i, tone(grey))
			}
		}
	}
}
