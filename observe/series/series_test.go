package series

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"slices"
	"strconv"
	"testing"

	"cotenant/cta_dispatcher/policy"
	_ "cotenant/cta_dispatcher/policy/even"
	"cotenant/host"
	"cotenant/platform/presets"
	"cotenant/platform/wiring"
	"cotenant/workload/profile"

	"github.com/stretchr/testify/require"
)

// small is a GPU with two tenants that are to run for ever.
func small(t *testing.T) *wiring.Platform {
	t.Helper()
	gpu, err := presets.Load("plain16?sms=2")
	require.NoError(t, err)
	p, err := policy.Parse("even")
	require.NoError(t, err)
	var tenants []host.Process
	for _, name := range []string{"sgemm", "lbm"} {
		app, err := profile.Builtin(name, "", 1)
		require.NoError(t, err)
		tenants = append(tenants, host.Process{App: app, Restart: true})
	}
	tenants[1].Arrival.Cycles = 1500
	platform, err := wiring.New(*gpu, p, tenants)
	require.NoError(t, err)
	return platform
}

// number is a cell of a row.
func number(t *testing.T, header, row []string, column string) float64 {
	t.Helper()
	for i, name := range header {
		if name == column {
			n, err := strconv.ParseFloat(row[i], 64)
			require.NoError(t, err)
			return n
		}
	}
	require.Fail(t, "no column", column)
	return 0
}

func TestIntervalsAddUpToTheRun(t *testing.T) {
	gpu := small(t)
	var out bytes.Buffer
	w := Attach(&out, gpu, []string{"sgemm", "lbm"}, 1000)
	require.NoError(t, gpu.Run(context.Background(), 3500, nil))
	require.NoError(t, w.Close(3500))
	rows, err := csv.NewReader(&out).ReadAll()
	require.NoError(t, err)
	header, rows := rows[0], rows[1:]
	require.Equal(t, fixed, header[:len(fixed)])
	require.Len(t, rows, 4*3, "four intervals, two tenants and their sum")

	total := gpu.Counters(3500)
	for i, want := range []struct {
		name                string
		instructions, bytes uint64
	}{
		{"sgemm", total.SM.Tenant(0).ThreadInstructions, total.DRAM.Tenant(0).ReadBytes},
		{"lbm", total.SM.Tenant(1).ThreadInstructions, total.DRAM.Tenant(1).ReadBytes},
		{"total", total.SM.Total().ThreadInstructions, total.DRAM.Total().ReadBytes},
	} {
		instructions, bytes, end := 0.0, 0.0, 0.0
		for n := range 4 {
			row := rows[3*n+i]
			require.Equal(t, want.name, row[3])
			cycles := number(t, header, row, "cycles")
			require.Equal(t, number(t, header, row, "cycle"), end+cycles)
			end += cycles
			issued := number(t, header, row, "sm.thread_instructions")
			require.InDelta(t, issued/cycles, number(t, header, row, "ipc"), 1e-9)
			instructions += issued
			bytes += number(t, header, row, "dram.read_bytes")
		}
		require.Equal(t, float64(want.instructions), instructions, want.name)
		require.Equal(t, float64(want.bytes), bytes, want.name)
		require.Equal(t, 3500.0, end)
	}
	require.Zero(t, number(t, header, rows[1], "ipc"), "the second tenant has not arrived")
	require.Positive(t, number(t, header, rows[2], "driver.policy_calls"), "what belongs to no tenant is the GPU's")
	require.Empty(t, rows[0][slices.Index(header, "driver.policy_calls")])
}

func TestLastRowIsThatOfTheRestOnlyIfThereIsOne(t *testing.T) {
	gpu := small(t)
	var out bytes.Buffer
	w := Attach(&out, gpu, []string{"sgemm", "lbm"}, 1000)
	require.NoError(t, gpu.Run(context.Background(), 2000, nil))
	require.NoError(t, w.Close(2000))
	rows, err := csv.NewReader(&out).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 1+2*3)
}

// full is a disk without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestErrorOfWritingShowsWhenTheSeriesIsClosed(t *testing.T) {
	gpu := small(t)
	w := Attach(full{}, gpu, []string{"sgemm", "lbm"}, 100)
	require.NoError(t, gpu.Run(context.Background(), 2000, nil))
	require.EqualError(t, w.Close(2000), "no space left on device")
}
