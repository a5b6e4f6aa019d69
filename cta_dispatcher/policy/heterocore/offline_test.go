package heterocore

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cotenant/cta_dispatcher/policy"

	"github.com/stretchr/testify/require"
)

const offlineFile = `# two of them
applications:
  x: {IPC_base16: 400, IPC_base8: 210, IPC_big: 330, IPC_small: 150}
  y:
    IPC_base16: 200
    IPC_base8: 120
    IPC_big: 118
    IPC_small: 121
`

func TestOfflineIPCsAreReadByName(t *testing.T) {
	got, err := parseOffline("ipc.yaml", []byte(offlineFile))
	require.NoError(t, err)
	require.Equal(t, map[string]Offline{"x": {400, 210, 330, 150}, "y": {200, 120, 118, 121}}, got)
	for edit, want := range map[string]string{
		"applications=applicants":               "ipc.yaml:2: unknown key \"applicants\" in the list; valid keys: applications",
		"IPC_big: 330=IPC_bigs: 330":            "ipc.yaml:3: unknown key \"IPC_bigs\" in applications.x; valid keys: IPC_base16, IPC_base8, IPC_big, IPC_small",
		", IPC_small: 150=":                     "ipc.yaml:3: applications.x has no IPC_small; it takes IPC_base16, IPC_base8, IPC_big and IPC_small",
		"IPC_base8: 120=IPC_base8: 0":           "ipc.yaml:6: applications.y.IPC_base8 is 0; valid: above 0, to 1e9",
		"IPC_base16: 200=IPC_base16: .nan":      "ipc.yaml:5: applications.y.IPC_base16 is NaN; valid: above 0, to 1e9",
		"IPC_small: 121=IPC_small: -1":          "ipc.yaml:8: applications.y.IPC_small is -1; valid: 0 to 1e9",
		"330, IPC_small: 150=0, IPC_small: 0":   "ipc.yaml:3: applications.x has neither IPC_big nor IPC_small above 0; it runs on some SMs",
		"IPC_small: 121=IPC_small: fast":        "ipc.yaml:8: applications.y.IPC_small is \"fast\"; it takes a number",
		"330, IPC_small: 150=330, IPC_small: 0": "",
		"IPC_big: 118=IPC_big: 0":               "",
	} {
		from, to, _ := strings.Cut(edit, "=")
		require.Contains(t, offlineFile, from)
		_, err := parseOffline("ipc.yaml", []byte(strings.Replace(offlineFile, from, to, 1)))
		if want == "" {
			require.NoError(t, err, edit)
		} else {
			require.EqualError(t, err, want, edit)
		}
	}
	_, err = parseOffline("ipc.yaml", []byte("{}"))
	require.EqualError(t, err, "ipc.yaml: has no applications; it takes a mapping of names")
}

func TestStaticGoesByTheFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ipc.yaml")
	require.NoError(t, os.WriteFile(file, []byte(offlineFile), 0o644))
	for _, goal := range []string{"classification", "stp", "balanced"} {
		d := sit(t, "heterocore-static:goal="+goal+",ipc="+file, 8, 8)
		require.NoError(t, d.policy.Needs().Check(&d.view))
		d.see(policy.KernelArrived)
		require.Equal(t, [2]float64{8, 0}, d.owns(0), goal)
		require.Equal(t, [2]float64{0, 8}, d.owns(1), goal)
		d.view.Tenants[1].Demand.Threads = 1024 // y's next kernel fits no small SM
		d.view.Tenants[1].Launch++
		d.see(policy.KernelArrived)
		require.Equal(t, [2]float64{4, 8}, d.owns(0), goal)
		require.Equal(t, [2]float64{4, 0}, d.owns(1), goal)
		d.view.Tenants[0].Name = "z"
		require.EqualError(t, d.policy.Needs().Check(&d.view), "option ipc="+file+": it has no application z; add its isolated IPCs")
	}
	d := sit(t, "heterocore-static:goal=stp", 8, 8)
	d.see(policy.KernelArrived)
	require.Equal(t, [2]float64{4, 4}, d.owns(0), "nothing is known")
}

func TestOfflineIPCsMayBeGivenByOrderOfArrival(t *testing.T) {
	apps := []Offline{{400, 210, 330, 150}, {1234567.5, 120, 0, 0.000121}}
	o := policy.NewOptions(map[string]string{"ipcs": ListOffline(apps)})
	require.Equal(t, apps, offlineList(o), "%s reads back", ListOffline(apps))
	for _, bad := range []string{"1", "1+1+1", "1+1+1+1+1", "1+1+1+x", "x+1+1+1", "0+1+1+1", "1+0+1+1", "1+1+0+0", "1+1+1+-1", "1+1+NaN+1", "1+1+1+2e9", "1+1+1+1/"} {
		_, err := policy.Parse("heterocore-static:ipcs=" + bad)
		require.ErrorContains(t, err, "valid: none, or IPC_base16+IPC_base8+IPC_big+IPC_small of each application, the first two above 0 and one of the others, to 1e9, such as 400+210+330+150/200+120+118+121", "%q", bad)
	}
	require.NoError(t, o.Err())
	_, err := policy.Parse("heterocore-static:ipcs=1+1+1+1,ipc=absent.yaml")
	require.ErrorContains(t, err, "options ipc and ipcs: give one of them")
	d := sit(t, "heterocore-static:goal=stp,ipcs=200+120+118+121/400+210+330+150", 8, 8)
	require.NoError(t, d.policy.Needs().Check(&d.view))
	d.see(policy.KernelArrived)
	require.Equal(t, [2]float64{0, 8}, d.owns(0))
	require.Equal(t, [2]float64{8, 0}, d.owns(1))
	d = sit(t, "heterocore-static:goal=stp,ipcs=200+120+118+121/400+210+330+150", 8, 8)
	d.view.Tenants[0].Rank, d.view.Tenants[1].Rank = 1, 0
	d.see(policy.KernelArrived)
	require.Equal(t, [2]float64{8, 0}, d.owns(0), "it came second")
	d = sit(t, "heterocore-static:ipcs=1+1+1+1", 8, 8)
	require.EqualError(t, d.policy.Needs().Check(&d.view), "option ipcs has figures of 1 applications for 2: give figures of each")
}

// Two thick applications can not share one big SM: all have a part of each kind instead.
func TestADivisionThatLeavesSomebodyWithoutIsNotCarriedOut(t *testing.T) {
	for bigs, want := range map[int][3][2]float64{
		1: {{1, 1}, {0, 1}, {0, 1}},
		2: {{1, 0}, {1, 0}, {0, 3}},
	} {
		d := sit(t, "heterocore-static:goal=classification,ipcs=400+210+330+150/400+210+330+150/200+120+118+121", bigs, 3)
		d.join()
		d.see(policy.KernelArrived)
		require.Equal(t, want, [3][2]float64{d.owns(0), d.owns(1), d.owns(2)}, "%d big SMs", bigs)
	}
}
