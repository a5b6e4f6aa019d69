// Package shown has the tests of what the monitor page and the program show of stock
// components. They take much of the program, which the tests of Akita's memory do
// without.
package shown

import (
	"io"
	"net/http"
	neturl "net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"cotenant/cta_dispatcher/policy"
	_ "cotenant/docs/examples/stockakita"
	"cotenant/experiment"
	"cotenant/host"
	"cotenant/observe/monitor"
	"cotenant/platform/cli"
	"cotenant/platform/presets"
	"cotenant/platform/wiring"
	"cotenant/workload/source"

	"github.com/stretchr/testify/require"
)

func TestMonitorShowsStockComponents(t *testing.T) {
	gpu, err := presets.Load("gtx980?sms=2&blocks.meter.depth=4")
	require.NoError(t, err)
	app, err := experiment.Open("lbm?size=tiny", source.Options{})
	require.NoError(t, err)
	fcfs, err := policy.Parse("fcfs")
	require.NoError(t, err)
	p, err := wiring.New(*gpu, fcfs, []host.Process{{App: app.Workload}})
	require.NoError(t, err)
	url, closeServer, err := monitor.Serve("127.0.0.1:0", p.Engine(), p.Components(), func() (uint64, uint64) { return 0, 0 })
	require.NoError(t, err)
	defer closeServer()
	ask := func(path string) string {
		answer, err := http.Get(url + path)
		require.NoError(t, err)
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, answer.StatusCode, "%s: %s", path, text)
		return string(text)
	}
	require.Contains(t, ask("/api/list_components"), `"GPU.Meter[1]"`)
	require.Contains(t, ask("/api/component/GPU.Meter%5B1%5D"), `"stats"`)
	require.Contains(t, ask("/api/field/"+neturl.PathEscape(`{"comp_name":"GPU.Meter[1]","field_name":"stats.Tenants.0"}`)), `"Packets"`)
	ask("/api/tick/GPU.Meter%5B1%5D")
	require.NotContains(t, ask("/api/hangdetector/buffers"), "Meter", "stock ports do not tell what they hold")
}

// asProgram in the environment makes this binary the program, with a Meter.
const asProgram = "COTENANT_WITH_METER"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		cli.Main(os.Args[1:]) // does not return
	}
	os.Exit(m.Run())
}

// program carries out a command line and returns what is printed.
func program(t *testing.T, args ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0], args...)
	c.Env = append(os.Environ(), asProgram+"=1")
	out, err := c.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out)
}

func TestProgramShowsStockComponentsAndWhatTheyCount(t *testing.T) {
	const gpu = "gtx980?sms=2&blocks.meter.depth=4"
	wave := filepath.Join(t.TempDir(), "run.vcd")
	require.Contains(t, program(t, "run", "--gpu", gpu, "--policy", "even", "--app", "profile:lbm", "--app", "profile:spmv", "--cycles", "2k",
		"--json", "-", "--vcd", wave), `"meter": {`)
	text, err := os.ReadFile(wave)
	require.NoError(t, err)
	require.Contains(t, string(text), "packets_0_")
	require.Contains(t, program(t, "netlist", "--gpu", gpu), "  link In, // of a stock component\n")
	require.Contains(t, program(t, "netlist", "--gpu", gpu, "--format", "dot"), `GPU_RequestNoC -- GPU_Meter_1 [taillabel="In[1]:8", headlabel="Out"];`)
}
