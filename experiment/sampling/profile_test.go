package sampling

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"cotenant/workload"
	"cotenant/workload/script"
)

// kernel is a kernel of a number of thread blocks of one instruction.
func kernel(tbs, stream int) *workload.Kernel {
	k := script.Kernel("k", tbs, 64, func(_, _ int) []workload.Inst { return []workload.Inst{script.Op(workload.Int, 1)} })
	k.Stream = stream
	return k
}

// computing is a host program that is no list.
type computing struct{ workload.Host }

func TestProfileRefusesLaunchesThatOverlap(t *testing.T) {
	launch := func(stream int, async bool) workload.Op { return workload.Op{Kernel: kernel(3, stream), Async: async} }
	for _, c := range []struct {
		name   string
		ops    []workload.Op
		listed bool
		fault  string
	}{
		{"launches that are waited for", []workload.Op{launch(0, false), {CPU: time.Second}, launch(0, false)}, false, ""},
		{"a trace, which does not wait", []workload.Op{launch(0, true), {Bytes: 4}, launch(0, true), launch(0, true)}, true, ""},
		{"a program that does not wait", []workload.Op{launch(1, true)}, false, "a command on stream 1 "},
		{"launches on two streams", []workload.Op{launch(1, true), launch(2, true)}, true, "a command on stream 2 "},
		{"launches on two streams with a wait between them", []workload.Op{launch(1, true), {Sync: true}, launch(2, true)}, true, ""},
		{"a copy beside a launch", []workload.Op{launch(1, true), {Bytes: 4, Stream: 2, Async: true}}, true, "a command on stream 2 "},
		{"the host computes beside a launch", []workload.Op{launch(0, true), {CPU: time.Second}}, true, "the host program computes beside a launch"},
	} {
		app := &workload.App{Name: "a", Ops: c.ops}
		if !c.listed {
			app.Host = func() (workload.Host, error) {
				h, err := (&workload.App{Ops: c.ops}).Start()
				return computing{h}, err
			}
		}
		list, err := Profile(t.Context(), app, nil)
		if c.fault != "" {
			require.ErrorContains(t, err, c.fault, c.name)
			continue
		}
		require.NoError(t, err, c.name)
		for _, l := range list {
			require.Equal(t, Launch{Kernel: "k", Shape: "[64 1 1] 0 0", TBs: 3, WarpInstructions: 6, ThreadInstructions: 192}, l, c.name)
		}
	}
}

func TestErrorOfTheProgramEndsTheProfile(t *testing.T) {
	wrong := errors.New("wrong")
	_, err := Profile(t.Context(), &workload.App{Host: func() (workload.Host, error) { return nil, wrong }}, nil)
	require.Equal(t, wrong, err)
}

// The simulation may find other launches than emulation, in a program that depends on the
// order of its thread blocks.
func TestLaunchesThatEmulationDidNotFindAreAnError(t *testing.T) {
	for _, c := range []struct {
		name     string
		launches []*workload.Kernel
		fault    string
	}{
		{"the same", []*workload.Kernel{kernel(3, 0), kernel(3, 0)}, ""},
		{"another grid", []*workload.Kernel{kernel(3, 0), kernel(4, 0)}, "in the simulation, launch 2 is k with 4 thread blocks, unlike in emulation: "},
		{"one launch more", []*workload.Kernel{kernel(3, 0), kernel(3, 0), kernel(3, 0)}, "in the simulation, launch 3 is k with 3 thread blocks, "},
		{"one launch less", []*workload.Kernel{kernel(3, 0)}, "in the simulation, it ends after 1 launch, "},
	} {
		s := &skipping{ctx: t.Context(), plan: &Plan{Roles: make([]Role, 2)}, launches: []Launch{{Kernel: "k", TBs: 3}, {Kernel: "k", TBs: 3}}}
		h, err := s.app(script.App("a", c.launches...)).Start()
		require.NoError(t, err)
		for ok := true; ok && err == nil; {
			var op workload.Op
			op, ok, err = h.Next()
			require.Nil(t, op.Kernel, "all are skipped")
		}
		if err == nil {
			err = s.done()
		}
		if c.fault == "" {
			require.NoError(t, err, c.name)
		} else {
			require.ErrorContains(t, err, c.fault, c.name)
		}
	}
}
