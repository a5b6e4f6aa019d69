package heterocore

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"
	"cotenant/protocol"

	"github.com/stretchr/testify/require"
)

var (
	baseSM  = occupancy.Capacity{TBs: 8, Threads: 1536, Warps: 48, Registers: 32768, SharedOptions: []int{49152}}
	bigSM   = occupancy.Capacity{TBs: 10, Threads: 2304, Warps: 72, Registers: 49152, SharedOptions: []int{65536}}
	smallSM = occupancy.Capacity{TBs: 6, Threads: 768, Warps: 24, Registers: 16384, SharedOptions: []int{32768}}
)

// desk is a View without thread blocks, on which a test shows a policy events and
// windows, and keeps the windows that it opens.
type desk struct {
	policy.Actions
	policy policy.Policy
	view   policy.View
	opened []uint64
	quiet  []int // SMs that issue nothing
}

func (d *desk) Window(cycles uint64, _ ...string) { d.opened = append(d.opened, cycles) }

// sit is a GPU of so many SMs of each kind, small ones first, and two tenants with kernels
// of which nothing waits.
func sit(t *testing.T, spec string, big, small int) *desk {
	t.Helper()
	p, err := policy.Parse(spec)
	require.NoError(t, err)
	d := &desk{policy: p}
	d.view.Machine.BaseSM = baseSM
	for i := range small + big {
		s := policy.SM{Capacity: &smallSM, TBs: make([]int, 2), Leaving: make([]int, 2)}
		if i >= small {
			s.Capacity, s.Kind = &bigSM, 1
		}
		d.view.SMs = append(d.view.SMs, s)
		d.view.Windows = append(d.view.Windows, protocol.Window{Unit: protocol.Unit{Kind: protocol.KindSM, Index: i}})
	}
	for i, name := range []string{"x", "y"} {
		d.view.Tenants = append(d.view.Tenants, policy.Tenant{Name: name, Present: true, Rank: i, Kernels: 1,
			Demand: occupancy.Demand{TBs: 1, Threads: 256, Warps: 8, Registers: 5120}})
		d.view.Active = append(d.view.Active, i)
	}
	return d
}

func (d *desk) see(e policy.Event) {
	d.view.Event = e
	d.policy.Decide(&d.view, d)
}

// end has a window end of so many cycles, in which each tenant issued so much on each
// big and each small SM.
func (d *desk) end(cycles uint64, issued [2][2]uint64) {
	for i := range d.view.SMs {
		var c protocol.SMCounters
		for tenant := range issued {
			c.Tenants[tenant].ThreadInstructions = issued[tenant][1-d.view.SMs[i].Kind]
		}
		if slices.Contains(d.quiet, i) {
			c = protocol.SMCounters{}
		}
		d.view.Windows[i].To, d.view.Windows[i].Counters = cycles, c
	}
	d.see(policy.WindowEnded)
}

func (d *desk) register(name string, tenant int) float64 {
	for _, r := range d.policy.(policy.Inspected).Registers() {
		if r.Name == name && r.Tenant == tenant {
			return r.Value
		}
	}
	return -1
}

// owns is how many big and small SMs a tenant has.
func (d *desk) owns(tenant int) [2]float64 {
	return [2]float64{d.register("sms_big", tenant), d.register("sms_small", tenant)}
}

// What is counted in the warm-up does not count, and the decision is Algorithm 2's.
func TestTheMeasurementIsTheSecondWindowWithoutTheFirst(t *testing.T) {
	d := sit(t, "heterocore", 8, 8)
	d.see(policy.KernelArrived)
	require.Equal(t, []uint64{20_000, 40_000}, d.opened)
	require.Equal(t, [2]float64{4, 4}, d.owns(0))
	require.Equal(t, float64(warmUp), d.register("phase", -1))
	d.end(20_000, [2][2]uint64{{90_000, 5000}, {70_000, 0}})
	require.Equal(t, float64(measure), d.register("phase", -1))
	d.end(40_000, [2][2]uint64{{90_000 + 30_000, 5000 + 40_000}, {70_000 + 60_000, 50_000}})
	require.Equal(t, []float64{6, 8}, []float64{d.register("ipc_big", 0), d.register("ipc_small", 0)})
	require.Equal(t, []float64{12, 10}, []float64{d.register("ipc_big", 1), d.register("ipc_small", 1)})
	require.Equal(t, [2]float64{0, 8}, d.owns(0))
	require.Equal(t, [2]float64{8, 0}, d.owns(1))
	require.Equal(t, float64(parted), d.register("phase", -1))
	require.Len(t, d.opened, 2, "nothing more is measured")
}

func TestSMsThatWereNotTheKernelsOwnDoNotCount(t *testing.T) {
	d := sit(t, "heterocore", 8, 8)
	d.see(policy.KernelArrived)
	// Of the first tenant's big SMs, 8 to 11, one has another's thread block and one is
	// reserved when the measurement begins; a third is afterwards.
	d.view.SMs[8].Usage.TBs, d.view.SMs[8].TBs[1] = 1, 1
	d.view.SMs[9].Reserved = true
	d.quiet = []int{8, 9}
	d.end(20_000, [2][2]uint64{})
	d.view.SMs[9].Reserved, d.view.SMs[10].Reserved = false, true
	d.end(40_000, [2][2]uint64{{20_000, 40_000}, {60_000, 50_000}})
	require.Equal(t, 4.0, d.register("ipc_big", 0), "two SMs with 1, scaled to the four that it has")
	require.Equal(t, 8.0, d.register("ipc_small", 0))
}

func TestNothingIssuedIsMeasuredAgain(t *testing.T) {
	d := sit(t, "heterocore:measure=10k", 8, 8)
	d.see(policy.KernelArrived)
	d.end(20_000, [2][2]uint64{})
	for again := range patience {
		d.end(30_000-20_000*uint64(min(again, 1)), [2][2]uint64{{0, 0}, {9, 9}})
		require.Equal(t, float64(measure), d.register("phase", -1))
		require.Len(t, d.opened, 3+again)
		require.Equal(t, uint64(10_000), d.opened[2+again])
	}
	d.end(10_000, [2][2]uint64{{0, 0}, {9, 9}})
	require.Equal(t, float64(halved), d.register("phase", -1))
	require.Equal(t, [2]float64{4, 4}, d.owns(0))
	require.Len(t, d.opened, 2+patience)
}

// decided is a GPU after a decision.
func decided(t *testing.T, spec string) *desk {
	d := sit(t, spec, 8, 8)
	d.see(policy.KernelArrived)
	d.end(20_000, [2][2]uint64{})
	d.end(40_000, [2][2]uint64{{30_000, 40_000}, {60_000, 50_000}})
	require.Equal(t, float64(parted), d.register("phase", -1))
	d.opened = nil
	return d
}

func TestWhatIsProfiledAnew(t *testing.T) {
	for change, anew := range map[string]map[string]bool{ // by profile
		"nothing": {"app": false, "kernel": false, "launch": false},
		"launch":  {"app": false, "kernel": false, "launch": true},
		"code":    {"app": false, "kernel": true, "launch": true},
		"demand":  {"app": false, "kernel": true, "launch": true},
		"run":     {"app": true, "kernel": true, "launch": true},
		"holds":   {"app": true, "kernel": true, "launch": true}, // it fits no small SM
	} {
		for profile, want := range anew {
			d := decided(t, "heterocore:profile="+profile)
			x := &d.view.Tenants[0]
			if change != "nothing" {
				x.Launch++
			}
			switch change {
			case "code":
				x.Code++
			case "demand":
				x.Demand.Registers++
			case "run":
				x.Run++
			case "holds":
				x.Demand.Threads, x.Demand.Warps = 1024, 32
			}
			d.see(policy.KernelArrived)
			require.Equal(t, want, len(d.opened) == 2, "%s, profile=%s", change, profile)
			if !want {
				require.Equal(t, [2]float64{0, 8}, d.owns(0))
			}
		}
	}
}

func TestAKernelThatComesBackInTheSameRunsIsKnown(t *testing.T) {
	d := decided(t, "heterocore")
	x := &d.view.Tenants[0]
	x.Launch, x.Code = 1, 1
	d.see(policy.KernelArrived)
	require.Len(t, d.opened, 2)
	x.Launch, x.Code = 2, 0
	d.see(policy.KernelArrived)
	require.Equal(t, [2]float64{0, 8}, d.owns(0), "in the middle of a profiling")
	d.end(20_000, [2][2]uint64{{9, 9}, {9, 9}})
	d.end(40_000, [2][2]uint64{{9, 9}, {9, 9}})
	require.Equal(t, [2]float64{0, 8}, d.owns(0), "its windows mean nothing")
	d.view.Tenants[1].Run, d.view.Tenants[1].Launch = 1, 1
	d.see(policy.KernelArrived)
	require.Len(t, d.opened, 4, "the other has begun a new run")
	require.Equal(t, [2]float64{4, 4}, d.owns(0))
	require.Equal(t, float64(warmUp), d.register("phase", -1))
}

func TestOneAloneHasAllSMsAndNothingIsMeasured(t *testing.T) {
	d := sit(t, "heterocore", 8, 8)
	d.view.Tenants[1].Present, d.view.Active = false, []int{0}
	d.see(policy.KernelArrived)
	require.Equal(t, [2]float64{8, 8}, d.owns(0))
	require.Empty(t, d.opened)
	d.view.Tenants[1].Present, d.view.Active = true, []int{0, 1}
	d.see(policy.KernelArrived)
	require.Equal(t, [2]float64{4, 4}, d.owns(0))
	d.view.Tenants[0].Present, d.view.Active = false, []int{1}
	d.see(policy.KernelFinished)
	require.Equal(t, [2]float64{8, 8}, d.owns(1))
	require.Equal(t, float64(even), d.register("phase", -1))
}

func TestTooFewSMsOfAKindAreDividedWithoutProfiling(t *testing.T) {
	d := sit(t, "heterocore", 2, 2)
	d.see(policy.KernelArrived)
	require.Len(t, d.opened, 2, "one each is enough")
	d = sit(t, "heterocore", 1, 3)
	d.see(policy.KernelArrived)
	require.Empty(t, d.opened)
	require.Equal(t, [2]float64{0, 2}, d.owns(0))
	require.Equal(t, [2]float64{1, 1}, d.owns(1), "of what is left over, those get one who come next")
}

func TestWindowsAreToldApartByTheirLengthAndOrder(t *testing.T) {
	d := sit(t, "heterocore", 1, 1)
	var w windows
	ended := func(cycles uint64) bool {
		for i := range d.view.Windows {
			d.view.Windows[i].To, d.view.Windows[i].Counters = cycles, protocol.SMCounters{}
		}
		return w.ended(&d.view)
	}
	w.open(d, 20)
	w.open(d, 40)
	w.forget()
	w.open(d, 20)
	w.open(d, 40)
	require.Equal(t, []uint64{20, 40, 20, 40}, d.opened)
	require.False(t, ended(21), "the SMs answered late")
	require.True(t, ended(20))
	require.False(t, ended(43))
	require.True(t, ended(40))
	require.False(t, ended(40), "another's")
}

func TestWhoseThreadBlocksFinishLately(t *testing.T) {
	v := &policy.View{Tenants: make([]policy.Tenant, 1)}
	p := newPace(1)
	update := func(e policy.Event, finished uint64) bool {
		v.Event, v.Tenants[0].Finished = e, finished
		p.update(v, 10_000)
		return p.finishes(0)
	}
	require.False(t, update(policy.KernelArrived, 0))
	require.False(t, update(policy.Epoch, 0))
	require.True(t, update(policy.TBFinished, 1))
	require.True(t, update(policy.Epoch, 1))
	require.True(t, update(policy.Epoch, 1), "one epoch ago")
	require.False(t, update(policy.Epoch, 1), "two are as long as a warm-up")
	require.True(t, update(policy.TBFinished, 2))
	p.warmed(0, 0)
	require.False(t, p.finishes(0), "the warm-up says more")
	p.warmed(0, 1)
	require.True(t, update(policy.Epoch, 2))
	p.forget(0)
	require.False(t, p.finishes(0), "that was another kernel")
	require.True(t, update(policy.TBFinished, 3))
}

func TestAnSMDrainsIfAllOnItFinish(t *testing.T) {
	d := sit(t, "heterocore", 8, 8)
	d.view.Tenants[1].Finished = 5 // before the warm-up
	d.see(policy.KernelArrived)
	p := d.policy.(*dynamic)
	d.view.Tenants[0].Finished = 1
	d.end(20_000, [2][2]uint64{})
	for _, c := range []struct {
		tbs  [2]int
		want policy.Mechanism
	}{{[2]int{1, 0}, policy.Drain}, {[2]int{0, 1}, policy.Switch}, {[2]int{1, 1}, policy.Switch}} {
		copy(d.view.SMs[0].TBs, c.tbs[:])
		require.Equal(t, c.want, p.mechanism(&d.view, 0), "%v", c.tbs)
	}
	for _, m := range []policy.Mechanism{policy.Switch, policy.Drain, policy.Ideal} {
		d := sit(t, "heterocore:preempt="+m.String(), 8, 8)
		require.Equal(t, m, d.policy.(*dynamic).mechanism(&d.view, 0))
	}
}

func TestOptions(t *testing.T) {
	for spec, want := range map[string]string{
		"heterocore:margin=0.05,warmup=1k,measure=1000M": "",
		"heterocore:margin=1.1":                          "policy heterocore: option margin=1.1: valid: a number from 0 to 1, such as 0.05",
		"heterocore:margin=NaN":                          "policy heterocore: option margin=NaN: valid: a number from 0 to 1, such as 0.05",
		"heterocore:profile=tb":                          "policy heterocore: option profile=tb: valid: kernel, launch, app",
		"heterocore:preempt=none":                        "policy heterocore: option preempt=none: valid: adaptive, switch, drain, ideal",
		"heterocore-static:goal=fair":                    "policy heterocore-static: option goal=fair: valid: classification, stp, balanced",
		"heterocore-static:ipc=absent.yaml":              "policy heterocore-static: absent.yaml: cannot be read: no such file or directory; give the path of a list of offline IPCs",
	} {
		_, err := policy.Parse(spec)
		if want == "" {
			require.NoError(t, err, spec)
		} else {
			require.EqualError(t, err, want)
		}
	}
	for _, name := range []string{"warmup", "measure"} {
		_, err := policy.Parse("heterocore:" + name + "=999")
		require.ErrorContains(t, err, "option "+name+"=999")
	}
}

func TestGPUsThatDoNotDo(t *testing.T) {
	for spec, needs := range map[string]bool{"heterocore": true, "heterocore-static": true, "heterocore-agnostic": false} {
		d := sit(t, spec, 2, 2)
		c, ok := d.policy.(policy.Conditional)
		require.Equal(t, needs, ok)
		if !ok {
			continue
		}
		require.NoError(t, c.Check(&d.view))
		d.view.SMs[0].Kind = 3
		require.EqualError(t, c.Check(&d.view), "it knows big and small SMs, and the GPU has SMs of several kinds, 3; valid: one or two")
	}
	d := sit(t, "heterocore", 2, 2)
	d.view.Machine.BaseSM = occupancy.Capacity{}
	require.Error(t, d.policy.(policy.Conditional).Check(&d.view))
}

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
		require.NoError(t, d.policy.(policy.Conditional).Check(&d.view))
		d.see(policy.KernelArrived)
		require.Equal(t, [2]float64{8, 0}, d.owns(0), goal)
		require.Equal(t, [2]float64{0, 8}, d.owns(1), goal)
		d.view.Tenants[1].Demand.Threads = 1024 // y's next kernel fits no small SM
		d.view.Tenants[1].Launch++
		d.see(policy.KernelArrived)
		require.Equal(t, [2]float64{4, 8}, d.owns(0), goal)
		require.Equal(t, [2]float64{4, 0}, d.owns(1), goal)
		d.view.Tenants[0].Name = "z"
		require.EqualError(t, d.policy.(policy.Conditional).Check(&d.view), "option ipc="+file+": it has no application z; add what that achieves alone")
	}
	d := sit(t, "heterocore-static:goal=stp", 8, 8)
	d.see(policy.KernelArrived)
	require.Equal(t, [2]float64{4, 4}, d.owns(0), "nothing is known")
}

func TestOfflineIPCsMayBeGivenByOrderOfArrival(t *testing.T) {
	apps := []Offline{{400, 210, 330, 150}, {1234567.5, 120, 0, 0.000121}}
	got, err := offlineList(policy.Options{"ipcs": ListOffline(apps)})
	require.NoError(t, err)
	require.Equal(t, apps, got, "%s reads back", ListOffline(apps))
	for _, bad := range []string{"1", "1+1+1", "1+1+1+1+1", "1+1+1+x", "x+1+1+1", "0+1+1+1", "1+0+1+1", "1+1+0+0", "1+1+1+-1", "1+1+NaN+1", "1+1+1+2e9", "1+1+1+1/"} {
		_, err := policy.Parse("heterocore-static:ipcs=" + bad)
		require.ErrorContains(t, err, "valid: none, or IPC_base16+IPC_base8+IPC_big+IPC_small of each application, the first two above 0 and one of the others, to 1e9, such as 400+210+330+150/200+120+118+121", "%q", bad)
	}
	_, err = policy.Parse("heterocore-static:ipcs=1+1+1+1,ipc=absent.yaml")
	require.ErrorContains(t, err, "options ipc and ipcs: give one of them")
	d := sit(t, "heterocore-static:goal=stp,ipcs=200+120+118+121/400+210+330+150", 8, 8)
	require.NoError(t, d.policy.(policy.Conditional).Check(&d.view))
	d.see(policy.KernelArrived)
	require.Equal(t, [2]float64{0, 8}, d.owns(0))
	require.Equal(t, [2]float64{8, 0}, d.owns(1))
	d = sit(t, "heterocore-static:goal=stp,ipcs=200+120+118+121/400+210+330+150", 8, 8)
	d.view.Tenants[0].Rank, d.view.Tenants[1].Rank = 1, 0
	d.see(policy.KernelArrived)
	require.Equal(t, [2]float64{8, 0}, d.owns(0), "it came second")
	d = sit(t, "heterocore-static:ipcs=1+1+1+1", 8, 8)
	require.EqualError(t, d.policy.(policy.Conditional).Check(&d.view), "option ipcs has figures of 1 applications for 2: give those of each")
}

func TestSmallSMsAreMeasuredByThoseThatFit(t *testing.T) {
	d := sit(t, "heterocore", 8, 8)
	d.view.Tenants[0].Demand.Threads = 1024
	d.see(policy.KernelArrived)
	require.Len(t, d.opened, 2)
	require.Equal(t, [2]float64{4, 0}, d.owns(0))
	require.Equal(t, [2]float64{4, 8}, d.owns(1))
}

func TestThreadBlocksThatAreLeftLimitTheEstimate(t *testing.T) {
	d := sit(t, "heterocore", 8, 8)
	d.see(policy.KernelArrived)
	p, x := d.policy.(*dynamic), &d.view.Tenants[0]
	require.Equal(t, CTAs{6, 9, 3}, p.ctas(&d.view, 0, SMs{4, 4}), "nothing is left: it is not known")
	x.Waiting, x.Running, x.Saving = 5, 9, 2
	require.Equal(t, CTAs{4, 4, 3}, p.ctas(&d.view, 0, SMs{4, 4}), "16 in all")
	require.Equal(t, CTAs{4, 8, 3}, p.ctas(&d.view, 0, SMs{2, 6}))
}
