package tests

import (
	"fmt"
	"strings"
	"testing"

	dispatcher "cotenant/cta_dispatcher"
	"cotenant/cta_dispatcher/policy"
	_ "cotenant/cta_dispatcher/policy/all"
	"cotenant/experiment"
	"cotenant/host"
	"cotenant/platform/presets"
	"cotenant/platform/wiring"

	"github.com/stretchr/testify/require"
)

// had is what a tenant has in a window.
type had struct {
	Work   wiring.Work
	Driver dispatcher.TenantStats
}

// openedOnce keeps applications, which any number of runs may start.
type openedOnce map[string]experiment.App

// divided runs applications on a GPU with instances, or on a whole one, and returns what some
// of them have.
func (o openedOnce) divided(t *testing.T, gpu, spec string, window uint64, tenants []int, apps ...string) (list []had) {
	t.Helper()
	config, err := presets.Load(gpu)
	require.NoError(t, err)
	p, err := config.Divide(func() (policy.Policy, error) { return policy.Parse(spec) })
	require.NoError(t, err)
	var processes []host.Process
	for i, app := range apps {
		run := experiment.Spec{Seed: 1}
		source := run.SourceOf(config, i)
		key := fmt.Sprintf("%s %+v", app, source)
		a, ok := o[key]
		if !ok {
			a, err = experiment.Open(app, source)
			require.NoError(t, err)
			o[key] = a
		}
		processes = append(processes, host.Process{App: a.Workload, Attributes: a.Attributes, Restart: true})
	}
	w, err := wiring.New(*config, p, processes)
	require.NoError(t, err)
	require.NoError(t, w.Run(t.Context(), window, nil))
	c := w.Counters(window)
	for _, id := range tenants {
		one := had{c.Tenant(id), w.Driver.Stats().Tenants[id]}
		require.NotZero(t, one.Work.SM.WarpInstructions)
		require.NotZero(t, one.Work.DRAM.DataBusCycles)
		list = append(list, one)
	}
	return list
}

const undivided = "a100?host.ideal=true&host.launch_latency=0"

// A tenant of an instance has the same with and without other instances, to the last counter:
// SMs, L2 slices, channels and ports are its own.
func TestInstancesDoNotDisturbEachOther(t *testing.T) {
	const copies, gemm = "copy?size=small&set=rounds:4,bytes:1048576", "gemm-f16?size=tiny"
	o := openedOnce{}
	alone := o.divided(t, undivided+"&mig=[2g.10gb]", "fcfs", 6000, []int{0}, gemm)
	beside := o.divided(t, undivided+"&mig=[2g.10gb, 3g.20gb, 1g.5gb]", "fcfs", 6000, []int{0}, gemm, copies, copies)
	require.Equal(t, alone, beside)
	shared := o.divided(t, undivided, "even", 6000, []int{0}, gemm, copies, copies)
	require.NotEqual(t, alone, shared)
}

// An instance is a GPU with its SMs and memory: two applications in it have what they have on
// the preset of that size, under every policy that runs in instances. Policies that count in
// windows ask all SMs of the GPU: those of two instances ask a cycle after each other.
func TestAnInstanceIsASmallerGPU(t *testing.T) {
	const window = 6_000
	small := "a100-1g?host.ideal=true&host.launch_latency=0"
	apps := []string{"copy?size=small&set=blocks:14,threads:256,bytes:262144", "gemm-f16?size=tiny"}
	o := openedOnce{}
	for spec, windows := range map[string]bool{"fcfs": false, "mps:percent=30/60": false, "even": false, "ppq": false, "fixed:tbs=1/2": false,
		"green:sms=6/8": false, "timeslice:slice=1k": true, "spart": true, "smk-pw:epoch=2k": true, "smk-p": true} {
		want := o.divided(t, small, spec, window, []int{0, 1}, apps...)
		if strings.HasPrefix(spec, "timeslice") {
			require.NotZero(t, want[0].Driver.Preemptions)
		} else {
			require.NotZero(t, want[0].Driver.TBsCompleted, spec)
		}
		if windows {
			one := o.divided(t, undivided+"&mig=[{profile: 1g.5gb, tenants: []}, {profile: 1g.5gb, tenants: [0, 1]}]", spec, window, []int{0, 1}, apps...)
			require.Equal(t, want, one, spec)
			continue
		}
		both := o.divided(t, undivided+"&mig=[{profile: 1g.5gb, tenants: [2, 3]}, {profile: 1g.5gb, tenants: [0, 1]}]", spec, window,
			[]int{0, 1, 2, 3}, append(apps, apps...)...)
		require.Equal(t, want, both[:2], spec)
		require.Equal(t, want, both[2:], spec)
	}
}
