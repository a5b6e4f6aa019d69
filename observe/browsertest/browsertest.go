// Package browsertest draws a page in a real browser, Chromium, for a test, and reports
// what it shows.
package browsertest

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"cotenant/tests/need"
)

// before catches errors of the page's own scripts.
const before = `<script>window.wrong = [];
window.onerror = (text) => { window.wrong.push(String(text)); };
window.onunhandledrejection = (e) => { window.wrong.push(String(e.reason)); };
for (const kind of ["error", "warn"]) {
  const was = console[kind];
  console[kind] = (...what) => { window.wrong.push(kind + ": " + what.join(" ")); was.apply(console, what); };
}
</script>`

// probe notes in the document each chart's picture: its size, and its colours with their
// numbers of pixels; and the notes of the test's steps.
const probe = `<script>
(async () => {
const found = {};
// pixels are those of a chart's picture, one for each of the page's; null without one.
const pixels = async (place) => {
  const svg = place.querySelector("svg"), box = place.getBoundingClientRect();
  let canvas = place.querySelector("canvas");
  if (svg) {
    const image = new Image();
    image.src = "data:image/svg+xml," + encodeURIComponent(new XMLSerializer().serializeToString(svg));
    await image.decode();
    canvas = Object.assign(document.createElement("canvas"), {width: box.width, height: box.height});
    canvas.getContext("2d").drawImage(image, 0, 0);
  }
  return canvas && canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
};
const step = async () => { %STEPS% };
try { await step(); } catch (fault) { window.wrong.push(String(fault)); }
const seen = {};
for (const place of document.querySelectorAll(".chart")) {
  const box = place.getBoundingClientRect(), shown = seen[place.id] = {width: box.width, height: box.height, colours: {}};
  const data = (await pixels(place))?.data ?? [];
  for (let i = 0; i < data.length; i += 4) {
    if (data[i + 3] < 255) continue;
    const colour = "#" + [0, 1, 2].map((k) => data[i + k].toString(16).padStart(2, "0")).join("");
    shown.colours[colour] = (shown.colours[colour] || 0) + 1;
  }
}
const text = JSON.stringify({wrong: window.wrong, found, charts: seen, broken: !!document.getElementById("broken"), wide: document.documentElement.scrollWidth});
if (parent !== window) return parent.postMessage(text, "*");
const note = document.createElement("pre");
note.id = "probed";
note.textContent = text;
document.body.append(note);
})();
</script>`

// frame is a page that shows another at a width below the narrowest window.
const frame = `<!DOCTYPE html><body style="margin:0"><script>
addEventListener("message", (e) => {
  const note = document.createElement("pre");
  note.id = "probed";
  note.textContent = e.data;
  document.body.append(note);
});
</script><iframe src="page.html" style="border:0;width:%WIDTH%px;height:900px"></iframe></body>`

// leastWidth is the width of Chromium's narrowest window, in pixels.
const leastWidth = 500

// Probed is the content of a drawn page.
type Probed struct {
	// Wrong lists errors of the page's scripts, and their warnings and errors on the
	// console.
	Wrong []string
	// Broken: the page has an element of id broken; a test gives it as text that must not
	// become markup.
	Broken bool
	Wide   int // of the document, in pixels
	// Charts are the elements of class chart, by id.
	Charts map[string]Chart
	// Found is the object found of the steps.
	Found map[string]any
}

// Chart is the content of a chart's picture: its size in pixels, and the number of pixels
// of each colour, written #rrggbb.
type Chart struct {
	Width, Height float64
	Colours       map[string]int
}

// Drawn is the number of pixels with a colour.
func (c Chart) Drawn() (n int) {
	for _, pixels := range c.Colours {
		n += pixels
	}
	return n
}

// Browser finds Chromium; the test needs it. Its headless shell, a package of its own, starts in a
// third of the time.
func Browser(t *testing.T) string {
	t.Helper()
	return need.Program(t, "chromium", "chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
}

var note = regexp.MustCompile(`(?s)<pre id="probed">(.*?)</pre>`)

// attempts bounds a browser's tries of one page.
const attempts = 3

// room makes a folder for a browser. It is not t.TempDir: the browser's processes may write for
// a moment after the first has ended, and then a folder cannot be removed.
func room(t *testing.T) string {
	folder, err := os.MkdirTemp("", "page")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	return folder
}

// document is a pattern's match in the document that a browser makes of a page. A browser may
// crash for lack of memory or threads, or its clock, which does not wait for other threads that
// encode a picture, may end the page too early: it gets another try. It counts as missing if it
// crashes over an empty page too.
func document(t *testing.T, program, folder, url string, width int, pattern *regexp.Regexp, more ...string) [][]byte {
	var crash error
	for i := range attempts {
		dom, err := dumped(t, program, filepath.Join(folder, strconv.Itoa(i)), url, width, more...)
		if found := pattern.FindSubmatch(dom); found != nil {
			return found // however it has ended then
		}
		if crashed := (*exec.ExitError)(nil); errors.As(err, &crashed) && !crashed.Exited() {
			crash = err
			continue
		}
		require.NoError(t, err)
		if i == attempts-1 {
			require.Fail(t, "the page has no "+pattern.String(), "%.2000s", dom[max(0, len(dom)-2000):])
		}
	}
	empty := filepath.Join(folder, "empty.html")
	require.NoError(t, os.WriteFile(empty, []byte("<!doctype html><title>empty</title>"), 0o600))
	if _, err := dumped(t, program, filepath.Join(folder, "empty"), "file://"+empty, width); err != nil {
		need.Missing(t, "%s crashes over an empty page too: %v", program, err)
	}
	require.NoError(t, crash)
	return nil
}

// dumped is a browser's document of a page, and the browser's exit. The folder is the
// browser's own.
func dumped(t *testing.T, program, folder, url string, width int, more ...string) ([]byte, error) {
	require.NoError(t, os.Mkdir(folder, 0o700))
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Second)
	defer cancel()
	flags := append(more, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update", "--disable-sync",
		"--user-data-dir="+filepath.Join(folder, "profile"),
		"--window-size="+strconv.Itoa(width)+",900", "--virtual-time-budget=5000", "--dump-dom", url)
	command := exec.CommandContext(ctx, program, flags...)
	// A file, because the browser's other processes would keep a pipe open.
	out, err := os.Create(filepath.Join(folder, "dom"))
	require.NoError(t, err)
	defer out.Close()
	command.Stdout = out
	ended := command.Run()
	dom, err := os.ReadFile(out.Name())
	require.NoError(t, err)
	return dom, ended
}

// Render draws a page in a browser with a window of a width, in pixels, and reports the
// page's content after the steps: JavaScript, the body of an async function, which may
// store observations in an object found, and look at await pixels(chart). A page narrower than Chromium's narrowest window
// is drawn in a frame.
func Render(t *testing.T, page string, width int, steps string) *Probed {
	t.Helper()
	return render(t, page, width, steps)
}

// RenderDark is Render for a reader who prefers dark surroundings.
func RenderDark(t *testing.T, page string, width int, steps string) *Probed {
	t.Helper()
	return render(t, page, width, steps, "--blink-settings=preferredColorScheme=0")
}

func render(t *testing.T, page string, width int, steps string, more ...string) *Probed {
	t.Helper()
	program := Browser(t)
	folder := room(t)
	path := filepath.Join(folder, "page.html")
	text := strings.Replace(page, "<head>", "<head>"+before, 1)
	end := strings.LastIndex(text, "</body>") // the library has further ones
	text = text[:end] + strings.Replace(probe, "%STEPS%", steps, 1) + text[end:]
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	if width < leastWidth {
		path = filepath.Join(folder, "frame.html")
		require.NoError(t, os.WriteFile(path, []byte(strings.Replace(frame, "%WIDTH%", strconv.Itoa(width), 1)), 0o600))
	}
	found := document(t, program, folder, "file://"+path, max(width, leastWidth), note, more...)
	p := &Probed{}
	plain := strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&").Replace(string(found[1]))
	require.NoError(t, json.Unmarshal([]byte(plain), p), plain)
	return p
}

// Visit draws the page at a URL in a browser, and returns a pattern's match in the
// resulting document; the test fails without a match.
func Visit(t *testing.T, url string, pattern *regexp.Regexp) [][]byte {
	t.Helper()
	return document(t, Browser(t), room(t), url, 1280, pattern)
}
