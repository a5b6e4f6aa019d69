package sass_test

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/workload"
	"cotenant/workload/functional"
	"cotenant/workload/ptx/sass"
	"cotenant/workload/source"
)

// shares are the parts of register reads after which a warp overwrites the register, without
// another read, within 4, 8 and 16 instructions. Instructions that overwrite what they read
// do not count: they wait for nothing.
type shares [3]float64

var distances = [3]int{4, 8, 16}

func sharesOf(t *testing.T, spec string) (s shares) {
	t.Helper()
	app, err := source.Open(spec, source.Options{})
	require.NoError(t, err, spec)
	host, err := app.Start()
	require.NoError(t, err)
	reads := 0
	for {
		op, ok, err := host.Next()
		require.NoError(t, err)
		if !ok {
			break
		}
		if op.Kernel == nil {
			continue
		}
		type warp struct {
			at   int
			last [workload.NoReg]int // where a register was read last, from 1; 0 if it was not
		}
		warps := map[[2]int]*warp{}
		err = functional.Run(context.Background(), op.Kernel, 1, functional.Observer{Executed: func(tb, number int, inst *workload.Inst) {
			w := warps[[2]int{tb, number}]
			if w == nil {
				w = &warp{}
				warps[[2]int{tb, number}] = w
			}
			w.at++
			for _, r := range inst.Src {
				if r != workload.NoReg && w.last[r] != w.at {
					w.last[r] = w.at
					reads++
				}
			}
			for _, r := range inst.Dst {
				if r == workload.NoReg || w.last[r] == 0 {
					continue
				}
				for i, d := range distances {
					if after := w.at - w.last[r]; after > 0 && after <= d {
						s[i]++
					}
				}
				w.last[r] = 0
			}
		}})
		require.NoError(t, err)
	}
	for i := range s {
		s[i] = math.Round(1000*s[i]/float64(reads)) / 1000
	}
	return s
}

// machineCode has shares of real traces, and the application that is the same program.
type machineCode struct {
	Trace  string
	App    string
	Shares shares
}

func machineCodes(t *testing.T) (list []machineCode) {
	t.Helper()
	data, err := os.ReadFile("testdata/reuse.json")
	require.NoError(t, err)
	var file struct {
		Source string
		Codes  []machineCode
	}
	require.NoError(t, json.Unmarshal(data, &file))
	return file.Codes
}

func TestSharesAreThoseOfTheTraces(t *testing.T) {
	const folder = "../../../../shared/traces/"
	if _, err := os.Stat(folder); err != nil {
		t.Skip("no traces")
	}
	for _, code := range machineCodes(t) {
		require.Equal(t, code.Shares, sharesOf(t, "traceg:"+folder+code.Trace), code.Trace)
	}
}

// Of all numbers of spare registers the one in use is nearest to machine code, with the
// programs that are the same. The last is as many as there are.
func TestRegistersAreOverwrittenAsSoonAsInMachineCode(t *testing.T) {
	chosen := *sass.SpareRegisters
	defer func() { *sass.SpareRegisters = chosen }()
	apart := func(spare int) (sum float64) {
		*sass.SpareRegisters = spare
		for _, code := range machineCodes(t) {
			if code.App != "" {
				for i, share := range sharesOf(t, code.App) {
					sum += math.Abs(share - code.Shares[i])
				}
			}
		}
		t.Logf("%d spare: %.3f apart", spare, sum)
		return sum
	}
	least := apart(chosen)
	for _, spare := range []int{0, 2, 4, 6, 8, 9, 11, 12, 16, workload.NoReg} {
		if spare != chosen {
			require.Greater(t, apart(spare), least, "%d spare", spare)
		}
	}
}
