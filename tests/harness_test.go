package tests

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"cotenant/cta_dispatcher/policy"
	_ "cotenant/cta_dispatcher/policy/all"
	"cotenant/experiment"
	"cotenant/host"
	"cotenant/platform/presets"
	"cotenant/platform/wiring"
	"cotenant/protocol"
	"cotenant/workload"
	"cotenant/workload/profile"
	"cotenant/workload/traceg"

	"github.com/stretchr/testify/require"
)

func preset(t testing.TB, name string) *wiring.Config {
	t.Helper()
	c, err := presets.Load(name)
	require.NoError(t, err)
	return c
}

// suiting is a GPU, a preset with options or without, with the parts that a policy steers:
// issue-rate controllers for a policy that sends rates.
func suiting(d policy.Descriptor, gpu string) string {
	p, err := policy.Parse(d.Name)
	if err != nil || !policy.Sends[*protocol.Rates](p) {
		return gpu
	}
	if strings.Contains(gpu, "?") {
		return gpu + "&sm.irc.sub_queues=8&sm.irc.depth=8"
	}
	return gpu + "?sm.irc.sub_queues=8"
}

// run runs applications on a GPU; cycles is the window, 0 for each once.
func run(t testing.TB, gpu *wiring.Config, policyName string, cycles uint64, apps ...*workload.App) *experiment.Result {
	t.Helper()
	r := &experiment.Run{Spec: experiment.Spec{Policy: policyName, Cycles: cycles}, GPU: gpu}
	for _, a := range apps {
		r.Apps = append(r.Apps, experiment.App{Spec: a.Name, Workload: a})
	}
	result, err := r.Do(context.Background())
	require.NoError(t, err)
	return result
}

// platform wires a GPU for tests that look inside.
func platform(t testing.TB, gpu *wiring.Config, policyName string, restart bool, apps ...*workload.App) *wiring.Platform {
	t.Helper()
	p, err := policy.Parse(policyName)
	require.NoError(t, err)
	return built(t, *gpu, p, restart, apps...)
}

// built wires a GPU under a policy of the test's own.
func built(t testing.TB, gpu wiring.Config, p policy.Policy, restart bool, apps ...*workload.App) *wiring.Platform {
	t.Helper()
	var tenants []host.Process
	for _, a := range apps {
		tenants = append(tenants, host.Process{App: a, Restart: restart})
	}
	wired, err := wiring.New(gpu, p, tenants)
	require.NoError(t, err)
	return wired
}

func builtin(t testing.TB, name string) *workload.App {
	t.Helper()
	app, err := profile.Builtin(name, "", 1)
	require.NoError(t, err)
	return app
}

// trace opens a reference trace; the traces are not part of the project.
func trace(t testing.TB, name string) *workload.App {
	t.Helper()
	const folder = "../../shared/traces/"
	if _, err := os.Stat(folder + name); err != nil {
		t.Skipf("the reference trace %s is not there", folder+name)
	}
	app, err := traceg.Open(folder+name, traceg.Options{})
	require.NoError(t, err)
	return app
}

// encoded is a result's JSON without the wall times.
func encoded(t testing.TB, r *experiment.Result) string {
	t.Helper()
	r.WallSeconds, r.IsolatedWallSeconds = 0, 0
	text, err := json.Marshal(r)
	require.NoError(t, err)
	return string(text)
}
