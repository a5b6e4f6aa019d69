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

// An area must not lean over its last samples: it ends as far to the right at its top as at
// its bottom, with few samples and with many.
func TestStackedAreasEndUpright(t *testing.T) {
	for _, every := range []uint64{160, 9} {
		p := browsertest.Render(t, written(t, sampled(t, 2, every)), 1440, `
const {data, width, height} = await pixels(document.getElementById("occupancy"));
// The lower tenant's area, at 0.8 of its colour, on nothing.
const inside = (x, y) => data[4 * (y * width + x) + 3] > 190 && data[4 * (y * width + x)] < 40 && data[4 * (y * width + x) + 2] > 140;
const middle = Math.round(width / 2);
let top = 60, bottom = height - 1;
while (!inside(middle, top)) top++;
while (!inside(middle, bottom)) bottom--;
const end = (y) => { let x = width - 1; while (!inside(x, y)) x--; return x; };
found.height = bottom - top;
found.lean = end(bottom - 1) - end(top + 1);
found.ratio = devicePixelRatio;`)
		assert.Empty(t, p.Wrong)
		assert.Equal(t, 1.0, p.Found["ratio"])
		assert.Greater(t, p.Found["height"], 10.0)
		assert.LessOrEqual(t, p.Found["lean"], 0.0, "a sample every %d cycles", every)
	}
}

func TestReaderChoosesATimeInAllCharts(t *testing.T) {
	p := browsertest.Render(t, written(t, report(t, 2)), 1280, `
const place = document.getElementById("progress"), box = place.getBoundingClientRect();
const surface = place.querySelector("svg").parentNode;
const send = (kind, x) => surface.dispatchEvent(new MouseEvent(kind, {bubbles: true, clientX: box.left + x, clientY: box.top + 150, button: 0}));
const marks = (id) => [...document.querySelectorAll("#" + id + " text")].map((e) => e.textContent).filter((s) => /^[0-9,]+$/.test(s));
found.before = marks("occupancy").includes("3,200");
send("mousedown", 400); send("mousemove", 600); send("mouseup", 600);
await new Promise((done) => setTimeout(done, 200));
found.after = marks("occupancy").includes("3,200");
found.resets = [...document.querySelectorAll(".reset")].filter((b) => !b.hidden).length;
document.querySelector("#occupancy").closest("section").querySelector(".reset").click();
await new Promise((done) => setTimeout(done, 200));
found.again = marks("occupancy").includes("3,200");`)
	assert.Empty(t, p.Wrong)
	assert.Equal(t, true, p.Found["before"])
	assert.Equal(t, false, p.Found["after"], "the end is outside the chosen time")
	assert.Equal(t, 6.0, p.Found["resets"], "of all charts over time")
	assert.Equal(t, true, p.Found["again"])
}

func TestReaderSavesAChart(t *testing.T) {
	p := browsertest.Render(t, written(t, report(t, 2)), 1280, `
const files = {};
URL.createObjectURL = (blob) => { files[blob.type] ??= blob; return "#"; };
const section = document.getElementById("occupancy").closest("section");
for (const b of section.querySelectorAll(".save button")) b.click();
while (!files["image/png"]) await new Promise((go) => setTimeout(go, 5)); // it is drawn first
found.csv = await files["text/csv"].text();
found.svg = (await files["image/svg+xml"].text()).slice(0, 4);
found.png = [...new Uint8Array(await files["image/png"].slice(1, 4).arrayBuffer())].map((c) => String.fromCharCode(c)).join("");
delete files["text/csv"];
document.getElementById("sms").closest("section").querySelectorAll(".save button")[2].click();
found.map = await files["text/csv"].text();`)
	assert.Empty(t, p.Wrong)
	assert.Equal(t, "<svg", p.Found["svg"])
	assert.Equal(t, "PNG", p.Found["png"])
	lines := strings.Split(p.Found["csv"].(string), "\n")
	assert.Equal(t, `core cycles,app0,"</script><b id=""broken"">&""'"`, lines[0])
	assert.Equal(t, "3200,10,20", lines[21])
	lines = strings.Split(p.Found["map"].(string), "\n")
	assert.Equal(t, "from cycle,SM,tenant,% of the SM's threads", lines[0])
	assert.Equal(t, "0,0,app0,10", lines[1])
}

func TestDarkSurroundingsHaveOtherGreys(t *testing.T) {
	p := browsertest.Render(t, written(t, report(t, 2)), 1280, `found.light = getComputedStyle(document.body).backgroundColor;`)
	assert.Equal(t, "rgb(244, 245, 247)", p.Found["light"])
	dark := browsertest.RenderDark(t, written(t, report(t, 2)), 1280, `found.dark = getComputedStyle(document.body).backgroundColor;`)
	assert.Empty(t, dark.Wrong)
	assert.Equal(t, "rgb(18, 22, 28)", dark.Found["dark"])
	assert.Greater(t, dark.Charts["tenant-stalls"].Colours[look.Tones[look.Ink]], 50, "work")
	assert.Greater(t, dark.Charts["progress"].Colours[look.Colour(0)], 50)
}
