package sweeppage

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/observe/browsertest"
	"cotenant/observe/look"
)

// tools are what the steps of the tests use.
const tools = `
const $ = (id) => document.getElementById(id);
const texts = (query) => [...document.querySelectorAll(query)].map((e) => e.textContent);
const box = (text) => [...document.querySelectorAll("fieldset label")].find((l) => l.textContent === text).querySelector("input");
const key = (name) => document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: name, bubbles: true, cancelable: true}));
`

func TestBrowserComparesPolicies(t *testing.T) {
	p := browsertest.Render(t, written(t, report()), 1280, tools+`
found.means = texts("#means tbody tr");
found.mixes = texts("#heat tbody th");
found.none = document.querySelectorAll("#heat td.none").length;
found.rows = document.querySelectorAll("#runs tbody tr").length;
found.count = $("count").textContent;
// Sorting, by STP: the best first, and by a second press the worst.
const stp = () => [...document.querySelectorAll("#runs th button")].find((b) => b.textContent === "STP");
stp().click();
found.best = texts("#runs tbody tr:first-child td")[0];
found.sorted = stp().parentNode.getAttribute("aria-sort");
found.kept = document.activeElement === stp();
stp().click();
found.worst = texts("#runs tbody tr:first-child td")[0];
// A cell leads to its run, also by the keyboard.
document.querySelector('#heat td[tabindex="0"]').focus();
key("ArrowDown"); key("ArrowRight"); key("Enter");
found.title = texts("#chosen h2")[0];
found.command = texts("#chosen pre")[0];
found.focus = document.activeElement.textContent;
document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: "Escape", bubbles: true}));
found.closed = $("chosen").hidden;
found.back = document.activeElement.dataset.point != null;
[...document.querySelectorAll("#heat td[data-point]")].find((c) => c.dataset.point === "0").click();
found.page = document.querySelector("#chosen a").getAttribute("href");
$("chosen").hidden = true;
`)
	assert.Empty(t, p.Wrong)
	assert.False(t, p.Broken)
	assert.LessOrEqual(t, p.Wide, 1280)
	assert.ElementsMatch(t, []any{"smk-pwsmk16661.3251.5300.8700.657", "spartsmk16771.0791.9340.8130.530", "ccbpccbp16111.0002.0001.0000.500"}, p.Found["means"])
	assert.Len(t, p.Found["mixes"], 8)
	assert.EqualValues(t, 2*8-13+7, p.Found["none"], "of 8 x 3 cells 14 have a run")
	assert.EqualValues(t, 14, p.Found["rows"])
	assert.Equal(t, "14 runs of 14 shown.", p.Found["count"])
	assert.Equal(t, "appf + lbm", p.Found["best"])
	assert.Equal(t, "descending", p.Found["sorted"])
	assert.Equal(t, true, p.Found["kept"])
	assert.Equal(t, "histo + lbm", p.Found["worst"])
	assert.Equal(t, "appb + lbm under smk-pw on smk16", p.Found["title"])
	assert.Equal(t, "cotenant run --gpu smk16 --policy smk-pw --app x", p.Found["command"])
	assert.Equal(t, "Close", p.Found["focus"])
	assert.Equal(t, true, p.Found["closed"])
	assert.Equal(t, true, p.Found["back"])
	assert.Equal(t, "pages/0123.html", p.Found["page"])
	require.Len(t, p.Charts, 9, "four figures, their means and by class, and against the baseline")
	for id, c := range p.Charts {
		assert.Greater(t, c.Width, 400.0, id)
		assert.Greater(t, c.Drawn(), 500, "%s is blank", id)
		if strings.HasPrefix(id, "by-class") { // other marks are transparent
			assert.Greater(t, c.Colours[look.Colour(1)], 20, "%s: smk-pw", id)
		}
	}
}

func TestBrowserSaysWhatIsNotThere(t *testing.T) {
	p := browsertest.Render(t, written(t, report()), 1280, tools+`
box("ccbp16").click();
found.noPolicy = texts("#means .empty");
box("spart").click();
found.noBaseline = texts("#scatter-place .empty");
box("smk16").click();
found.nothing = texts(".empty");
box("smk16").click();
box("spart").click();
$("find").value = "no such"; $("find").dispatchEvent(new Event("input"));
found.find = texts("#runs .empty");
$("heat-change").click();
found.changes = texts("#heat tbody tr:first-child td");
box("IPC over goal").click();
found.goals = texts("#distributions .empty");
`)
	assert.Empty(t, p.Wrong)
	assert.Equal(t, []any{"No runs with these choices of policy ccbp."}, p.Found["noPolicy"])
	assert.Len(t, p.Found["nothing"], 5, "in each section")
	assert.Contains(t, p.Found["nothing"], "Nothing is chosen of: gpus.")
	assert.Equal(t, []any{"No run that is shown has “no such” in its mix, policy or GPU."}, p.Found["find"])
	assert.Equal(t, []any{"C+M", "0.0", "20.0"}, p.Found["changes"], "1.2 over 1.0")
	assert.Equal(t, []any{"No run that is shown has a goal.", "No run that is shown has a goal."}, p.Found["goals"])
}

func TestBrowserShowsGoals(t *testing.T) {
	r := report()
	for i := range r.Points {
		r.Points[i].Metrics[OverGoal] = 0.8 + float64(i)/25
	}
	p := browsertest.Render(t, written(t, r), 1280, tools+`found.head = texts("#means th").at(-1); found.reach = texts("#means tbody td:last-child");`)
	assert.Empty(t, p.Wrong)
	assert.Equal(t, "QoSreach", p.Found["head"])
	assert.Equal(t, []any{"57.1 %", "66.7 %", "100.0 %"}, p.Found["reach"])
	assert.Greater(t, p.Charts["by-class-reach"].Colours[look.Colour(0)], 500)
}

func TestPageFitsASmallWindow(t *testing.T) {
	p := browsertest.Render(t, written(t, report()), 390, tools+`document.querySelector("#heat td[data-point]").click(); found.open = !$("chosen").hidden;`)
	assert.Empty(t, p.Wrong)
	assert.LessOrEqual(t, p.Wide, 390)
	assert.Equal(t, true, p.Found["open"])
	for id, c := range p.Charts {
		assert.Greater(t, c.Width, 250.0, id)
	}
}

func TestPageOfNoRunsSaysSo(t *testing.T) {
	p := browsertest.Render(t, written(t, &Report{Title: "Runs of none"}), 1280, tools+`found.empty = texts(".empty");`)
	assert.Empty(t, p.Wrong)
	assert.Contains(t, p.Found["empty"], "No run of two or more applications is stored yet.")
	one := &Report{Points: []Point{point("a + b", "", "p", "g", 0.5, math.NaN())}}
	p = browsertest.Render(t, written(t, one), 1280, "")
	assert.Empty(t, p.Wrong)
}

// larger is a run of the same mix on a GPU with a larger L1: both applications have more IPC
// than on the small one, and more still alone.
func larger() *Report {
	run := func(gpu string, ipc, alone []float64) Point {
		p := point("a + b", "", "spart", gpu, ipc[0]/alone[0], ipc[1]/alone[1])
		p.IPC, p.Isolated = ipc, alone
		return p
	}
	r := &Report{Points: []Point{run("small", []float64{60, 75}, []float64{100, 100}), run("large", []float64{61.7, 76}, []float64{104, 101.5})}}
	starving := point("c + d", "", "spart", "small", 0, 0.5)
	starving.Metrics[ANTT] = math.NaN()
	r.Points = append(r.Points, starving, point("c + d", "", "spart", "large", 0.4, 0.5), point("a + b", "", "even", "small", 0.9, 0.9))
	return r
}

func TestBrowserComparesGPUsOnOneGround(t *testing.T) {
	p := browsertest.Render(t, written(t, larger()), 1280, tools+`
const means = () => texts("#means tbody tr").sort();
box("even").click();
const pick = (id, value) => { $(id).value = value; $(id).dispatchEvent(new Event("change")); };
const map = () => texts("#heat tbody tr:first-child td");
$("heat-change").click();
pick("baseline", JSON.stringify({policy: "spart", gpu: "small", setting: ""}));
found.own = means();
found.note = !$("grounds").hidden;
found.ownMap = map();
pick("ground", "small");
found.small = means();
found.quiet = $("grounds").hidden;
found.smallMap = map();
pick("ground", "large");
found.large = means();
box("Total IPC").click();
found.heads = texts("#means thead th");
`)
	assert.Empty(t, p.Wrong)
	// STP is a mean over both mixes; ANTT leaves out c + d, in which c starves on one GPU.
	assert.Equal(t, []any{"spartlarge221.1211.511 (of 1)0.7960.553", "spartsmall220.9251.500 (of 1)0.4000.333"}, p.Found["own"])
	assert.Equal(t, true, p.Found["note"])
	assert.Equal(t, []any{"no class", "0.0", "-0.6"}, p.Found["ownMap"], "1.342 over 1.350 is a loss")
	assert.Equal(t, true, p.Found["quiet"])
	assert.Equal(t, []any{"no class", "0.0", "2.0"}, p.Found["smallMap"], "1.377 over 1.350 is a gain")
	assert.Equal(t, []any{"spartlarge221.1391.468 (of 1)0.8060.563", "spartsmall220.9251.500 (of 1)0.4000.333"}, p.Found["small"])
	assert.NotEqual(t, p.Found["small"], p.Found["large"])
	assert.Contains(t, p.Found["heads"], "Total IPC")
}

// A picture is for a paper, whatever the reader's surroundings.
func TestSavedPicturesAreLight(t *testing.T) {
	p := browsertest.RenderDark(t, written(t, report()), 1280, `
const files = {};
URL.createObjectURL = (blob) => { files[blob.type] ??= blob; return "#"; };
const place = document.getElementById("by-class-0").parentNode;
found.page = place.querySelector("svg").outerHTML.includes("#a3adbb") || place.querySelector("svg").outerHTML.includes("rgb(163,173,187)");
place.querySelector(".save button").click();
const text = await files["image/svg+xml"].text();
found.light = text.includes("#5a6474") || text.includes("rgb(90,100,116)");
found.dark = text.includes("#a3adbb") || text.includes("rgb(163,173,187)");`)
	assert.Empty(t, p.Wrong)
	assert.Equal(t, true, p.Found["page"], "the page itself is dark")
	assert.Equal(t, true, p.Found["light"])
	assert.Equal(t, false, p.Found["dark"])
}
