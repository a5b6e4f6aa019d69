package page

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

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// before catches what goes wrong in the page's own scripts.
const before = `<script>window.wrong = []; window.onerror = (text) => { window.wrong.push(String(text)); };</script>`

// probe notes in the document what each chart's canvas shows: its size, and its
// colours with the number of pixels that have them.
const probe = `<script>
const seen = {};
for (const place of document.querySelectorAll(".chart")) {
  const canvas = place.querySelector("canvas"), box = place.getBoundingClientRect();
  const shown = seen[place.id] = {width: box.width, height: box.height, colours: {}};
  if (!canvas) continue;
  const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
  for (let i = 0; i < data.length; i += 4) {
    if (data[i + 3] < 255) continue;
    const colour = "#" + [0, 1, 2].map((k) => data[i + k].toString(16).padStart(2, "0")).join("");
    shown.colours[colour] = (shown.colours[colour] || 0) + 1;
  }
}
const note = document.createElement("pre");
note.id = "probed";
note.textContent = JSON.stringify({wrong: window.wrong, charts: seen, broken: !!document.getElementById("broken"), wide: document.documentElement.scrollWidth});
document.body.append(note);
</script>`

// probed is what the probe found.
type probed struct {
	Wrong  []string
	Broken bool // markup of a tenant's name has become part of the page
	Wide   int  // of the document, in pixels
	Charts map[string]struct {
		Width, Height float64
		Colours       map[string]int
	}
}

// browser finds Chromium, or has the test skipped.
func browser(t *testing.T) string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("no Chromium is installed (Debian: chromium)")
	return ""
}

var note = regexp.MustCompile(`(?s)<pre id="probed">(.*?)</pre>`)

// attempts is how often a browser may crash over one page.
const attempts = 3

// drawn is what the probe has noted in a page that a browser has drawn. A browser
// may crash of itself where it is short of memory or threads: it gets another
// try, and the test is skipped if it cannot draw an empty page either.
func drawn(t *testing.T, program, folder, path, width string) [][]byte {
	var crash error
	for i := range attempts {
		dom, err := dumped(t, program, filepath.Join(folder, strconv.Itoa(i)), path, width)
		if found := note.FindSubmatch(dom); found != nil {
			return found // however it has ended then
		}
		if crashed := (*exec.ExitError)(nil); !errors.As(err, &crashed) || crashed.Exited() {
			require.NoError(t, err)
			require.Fail(t, "the probe did not run")
		}
		crash = err
	}
	empty := filepath.Join(folder, "empty.html")
	require.NoError(t, os.WriteFile(empty, []byte("<!doctype html><title>empty</title>"), 0o600))
	if _, err := dumped(t, program, filepath.Join(folder, "empty"), empty, width); err != nil {
		t.Skipf("%s crashes over an empty page too: %v", program, err)
	}
	require.NoError(t, crash)
	return nil
}

// dumped is the document that a browser makes of a page, and how the browser
// ended. The folder is the browser's own.
func dumped(t *testing.T, program, folder, path, width string) ([]byte, error) {
	require.NoError(t, os.Mkdir(folder, 0o700))
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Second)
	defer cancel()
	command := exec.CommandContext(ctx, program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update", "--disable-sync",
		"--user-data-dir="+filepath.Join(folder, "profile"),
		"--window-size="+width+",900", "--virtual-time-budget=5000", "--dump-dom", "file://"+path)
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

// render has a browser of a given width draw a page, and probes it.
func render(t *testing.T, page, width string) *probed {
	program := browser(t)
	// Not t.TempDir: the browser's processes may write for a moment after the
	// first has ended, and then a folder cannot be removed.
	folder, err := os.MkdirTemp("", "page")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	path := filepath.Join(folder, "page.html")
	text := strings.Replace(page, "<head>", "<head>"+before, 1)
	end := strings.LastIndex(text, "</body>") // the library has others
	text = text[:end] + probe + text[end:]
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	found := drawn(t, program, folder, path, width)
	p := &probed{}
	plain := strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&").Replace(string(found[1]))
	require.NoError(t, json.Unmarshal([]byte(plain), p), plain)
	return p
}

func TestBrowserDrawsEveryChart(t *testing.T) {
	r := report(t, 3)
	for i := range r.Samples {
		r.Samples[i].SMs[2][1].SavedBytes = 1024 * uint64(i)
	}
	p := render(t, written(t, r), "1280")
	assert.Empty(t, p.Wrong)
	assert.False(t, p.Broken)
	assert.LessOrEqual(t, p.Wide, 1280)
	require.Len(t, p.Charts, 8)
	for id, c := range p.Charts {
		assert.Greater(t, c.Width, 400.0, id)
		assert.Greater(t, c.Height, 150.0, id)
		drawn := 0
		for _, n := range c.Colours {
			drawn += n
		}
		assert.Greater(t, drawn, 1000, "%s is blank", id)
		assert.Greater(t, len(c.Colours), 3, id)
	}
	// Bars are in the causes' very colours.
	for _, id := range []string{"tenant-stalls", "sm-stalls"} {
		for cause, f := range causeFills {
			assert.Greater(t, p.Charts[id].Colours[f.ground], 50, "%s: %s", id, causeNames[cause])
		}
	}
	for k := range 3 {
		assert.Greater(t, p.Charts["progress"].Colours[tenantColour(k)], 50, "legend and line of tenant %d", k)
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
	p := render(t, written(t, report(t, 2)), "500")
	assert.Empty(t, p.Wrong)
	assert.LessOrEqual(t, p.Wide, 500)
	for id, c := range p.Charts {
		assert.Greater(t, c.Width, 300.0, id)
	}
}
