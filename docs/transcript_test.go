package docs

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"cotenant/observe/browsertest"
	"cotenant/tests/need"

	"github.com/stretchr/testify/require"
)

// A session of a guide is a block of commands, and the block of their output if one follows
// at once:
//
//	```sh
//	go run ./platform ...
//	```
//
//	```text
//	what they print
//	```
var session = regexp.MustCompile("(?ms)^```sh\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?")

// follow makes the commands of a guide with a program, in an empty folder, and compares
// their output; -update writes it into the guide. A block of YAML with a name is a file there. Then it compares the guide's pictures with
// the pages that the commands have written.
func follow(t *testing.T, guide, program string) {
	folder := t.TempDir()
	docs, err := filepath.Abs(".")
	require.NoError(t, err)
	require.NoError(t, os.Symlink(docs, filepath.Join(folder, "docs")))
	for _, q := range quotes(read(t, guide)) {
		if q.kind == "yaml" && !strings.Contains(q.file, "/") {
			require.NoError(t, os.WriteFile(filepath.Join(folder, q.file), []byte(q.text), 0o600))
		}
	}
	text := read(t, guide)
	fresh := session.ReplaceAllStringFunc(text, func(block string) string {
		m := session.FindStringSubmatch(block)
		commands := strings.NewReplacer("go run ./platform", "'"+program+"'", "./cotenant", "'"+program+"'").Replace(m[1])
		shell := exec.CommandContext(t.Context(), "sh", "-ec", commands)
		shell.Dir = folder
		var stderr strings.Builder
		shell.Stderr = &stderr
		out, err := shell.Output()
		require.NoError(t, err, "%s\n%s%s", m[1], out, &stderr)
		if !strings.Contains(block, "```text\n") {
			return block
		}
		return "```sh\n" + m[1] + "```\n\n```text\n" + string(out) + "```\n"
	})
	if *update {
		require.NoError(t, os.WriteFile(guide, []byte(fresh), 0o644))
	} else {
		require.Equal(t, fresh, text, "run go test ./docs -run Guide -update")
	}
	for _, m := range picture.FindAllStringSubmatch(text, -1) {
		page := filepath.Join(folder, m[1]+".html")
		require.FileExists(t, page, "no command of %s writes the page of the picture", guide)
		requireDrawn(t, m[1], read(t, page))
	}
}

var (
	picture = regexp.MustCompile(`\]\(pictures/([\w-]+)\.svg\)`)
	options = regexp.MustCompile(`(?s)<script type="application/json" id="charts">(.*?)</script>`)
)

// The tutorial prints what its commands print.
func TestTutorialDoesWhatItSays(t *testing.T) {
	if !*update {
		need.Time(t)
	}
	program := filepath.Join(t.TempDir(), "cotenant")
	command(t, "go", "build", "-buildvcs=false", "-o", program, "./platform")
	follow(t, "tutorial.md", program)
}

// requireDrawn asserts that a picture shows the first chart of a page: it ends with the hash of
// what it was drawn from. -update draws it.
func requireDrawn(t *testing.T, name, page string) {
	var charts []json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(options.FindStringSubmatch(page)[1]), &charts))
	mark := fmt.Sprintf("<!-- drawn from %x -->\n", sha256.Sum256(charts[0]))
	file := filepath.Join("pictures", name+".svg")
	if *update {
		drawn := browsertest.Render(t, page, 1280, `const svg = echarts.init(null, null, { renderer: "svg", ssr: true, width: 720, height: 280 });
svg.setOption({ animation: false, backgroundColor: "#fff", ...JSON.parse(document.getElementById("charts").textContent)[0].option });
found.svg = svg.renderToSVGString();`)
		require.Empty(t, drawn.Wrong)
		require.NoError(t, os.WriteFile(file, []byte(drawn.Found["svg"].(string)+"\n"+mark), 0o644))
	}
	require.True(t, strings.HasSuffix(read(t, file), mark), "%s shows other numbers: run go test ./docs -run Guide -update", file)
}
