package page

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/observe/browsertest"
	"cotenant/observe/look"
	"cotenant/sm"
)

func TestBrowserDrawsEveryChart(t *testing.T) {
	r := report(t, 3)
	for i := range r.Samples {
		r.Samples[i].SMs[2][1].SavedBytes = 1024 * uint64(i)
	}
	p := browsertest.Render(t, written(t, r), 1280, "")
	assert.Empty(t, p.Wrong)
	assert.False(t, p.Broken)
	assert.LessOrEqual(t, p.Wide, 1280)
	require.Len(t, p.Charts, 8)
	for id, c := range p.Charts {
		assert.Greater(t, c.Width, 400.0, id)
		assert.Greater(t, c.Height, 150.0, id)
		assert.Greater(t, c.Drawn(), 1000, "%s is blank", id)
		assert.Greater(t, len(c.Colours), 3, id)
	}
	// Bars are in the causes' very colours.
	for _, id := range []string{"tenant-stalls", "sm-stalls"} {
		for cause, f := range causeFills {
			assert.Greater(t, p.Charts[id].Colours[f.ground], 50, "%s: %s", id, sm.Cause(cause))
		}
	}
	for k := range 3 {
		assert.Greater(t, p.Charts["progress"].Colours[look.Colour(k)], 50, "legend and line of tenant %d", k)
	}
	// The stronger colour is the larger share; cells are as large as each other.
	sms := p.Charts["sms"].Colours
	large, dark := 0, 0
	for colour, n := range sms {
		if n > 20_000 {
			large++
		}
		if strings.Trim(colour[1:2]+colour[3:4]+colour[5:6], "012345") == "" {
			dark += n
		}
	}
	assert.Greater(t, dark, 1000, "hatches of contexts that move")
	assert.Equal(t, 3, large, "one shade for each tenant's constant share")
}

func TestPageFitsASmallWindow(t *testing.T) {
	p := browsertest.Render(t, written(t, report(t, 2)), 390, "")
	assert.Empty(t, p.Wrong)
	assert.LessOrEqual(t, p.Wide, 390)
	for id, c := range p.Charts {
		assert.Greater(t, c.Width, 250.0, id)
	}
}
