package wave

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/sarchlab/akita/v3/sim"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/components"
	dispatcher "cotenant/cta_dispatcher"
	"cotenant/cta_dispatcher/policy"
	"cotenant/protocol"
	"cotenant/tests/need"
)

// gpu is two SMs that do nothing and a queue.
type gpu struct {
	sms   []SM
	all   []sim.Component
	queue components.FIFO[int]
	stats struct {
		Drops   uint64
		Tenants [4]struct{ Packets uint64 }
	}
}

type module struct {
	components.Module
	gauges []components.Gauge
}

func (*module) Tick(uint64) bool             { return false }
func (b *module) Gauges() []components.Gauge { return b.gauges }

func newGPU(t *testing.T) *gpu {
	core, err := components.NewEngine().AddDomain("core", 1_000_000_000)
	require.NoError(t, err)
	g := &gpu{queue: components.NewFIFO[int](5)}
	for i := range 2 {
		m := &module{}
		m.Init(fmt.Sprintf("GPU.SM[%d]", i), core, m)
		m.NewPort("Reply", 1)
		g.sms = append(g.sms, SM{Component: m, TBs: 32})
		g.all = append(g.all, m)
	}
	noc := &module{gauges: []components.Gauge{g.queue.Gauge("Out[0].Queue")}}
	noc.Init("GPU.NoC", core, noc)
	noc.NewPort("In[0]", 8)
	g.all = append(g.all, noc)
	return g
}

func (g *gpu) wave(out io.Writer) *Writer {
	w := New(out, Options{CoreMHz: 1126, Tenants: []string{"sgemm (a)", "lbm"}, Version: "dev"})
	w.Declare(g.sms, g.all, []Counted{{"GPU.NoC", &g.stats}})
	return w
}

// dump is a file read back: for each signal its width and its changes as
// "time value", by full name.
type dump struct {
	timescale string
	widths    map[string]int
	changes   map[string][]string
	end       uint64
}

// parse reads a VCD strictly: declared codes only, times that grow, values that
// fit and that differ from the one before.
func parse(t *testing.T, text string) *dump {
	d := &dump{widths: map[string]int{}, changes: map[string][]string{}}
	names, last, reals := map[string]string{}, map[string]string{}, map[string]bool{}
	var scopes []string
	var now int64 = -1
	body := false
	lines := bufio.NewScanner(strings.NewReader(text))
	for lines.Scan() {
		line := lines.Text()
		f := strings.Fields(line)
		switch {
		case len(f) == 0:
		case f[0] == "$timescale" && len(f) > 2:
			d.timescale = f[1] + " " + f[2]
		case f[0] == "$scope":
			scopes = append(scopes, f[2])
		case f[0] == "$upscope":
			scopes = scopes[:len(scopes)-1]
		case f[0] == "$var":
			name := strings.Join(append(append([]string{}, scopes...), f[4]), ".")
			require.NotContains(t, d.widths, name, "two signals of one name")
			require.NotContains(t, names, f[3], "two signals of one code")
			names[f[3]] = name
			width, err := strconv.Atoi(f[2])
			require.NoError(t, err)
			d.widths[name] = width
			reals[name] = f[1] == "real"
		case f[0] == "$enddefinitions":
			require.Empty(t, scopes)
			body = true
		case strings.HasPrefix(line, "$"), !body:
		case line[0] == '#':
			at, err := strconv.ParseInt(line[1:], 10, 64)
			require.NoError(t, err)
			require.Greater(t, at, now)
			now = at
		default:
			value, code := line[:1], line[1:]
			real := line[0] == 'r'
			if line[0] == 'b' || real {
				value, code = f[0][1:], f[1]
			}
			name := names[code]
			require.NotEmpty(t, name, line)
			require.Equal(t, reals[name], real, line)
			if !real {
				require.LessOrEqual(t, len(value), d.widths[name], "%s: %s", name, line)
				value = short(value)
				require.Equal(t, d.widths[name] == 1, line[0] != 'b', line)
			}
			require.NotEqual(t, last[name], value, "%s has not changed", name)
			last[name] = value
			d.changes[name] = append(d.changes[name], fmt.Sprintf("%d %s", now, value))
		}
	}
	d.end = uint64(now)
	return d
}

// short is a value without the digits that a reader extends it by.
func short(value string) string {
	if strings.Trim(value, "x") == "" {
		return "x"
	}
	if value = strings.TrimLeft(value, "0"); value == "" {
		return "0"
	}
	return value
}

// story is a wave of everything that can happen, closed at cycle 1126, which is
// a microsecond.
func story(t *testing.T) string {
	g := newGPU(t)
	var out bytes.Buffer
	w := g.wave(&out)
	l := w.Listener()
	tb := func(cycle uint64, tenant, n int) dispatcher.TBEvent {
		return dispatcher.TBEvent{Cycle: cycle, Tenant: tenant, TB: n, SM: 1, Mechanism: policy.Switch}
	}
	l.TBPlaced(tb(0, 0, 0))
	l.TBPlaced(tb(0, 0, 1))
	quotas := []int{3, 1}
	l.Control(100, protocol.Unit{Kind: protocol.KindSM, Index: 1}, protocol.NewQuotas(quotas))
	quotas[0] = 99 // is not kept
	g.queue.Push(1)
	g.queue.Push(2)
	g.stats.Tenants[1].Packets = 5
	g.stats.Tenants[3].Packets = 5 // of no tenant of this run
	w.Sample(128)
	w.Sample(256)
	l.TBLeaving(tb(300, 0, 1))
	l.TBPreempted(tb(400, 0, 1))
	l.TBPlaced(tb(400, 1, 0)) // in the same cycle
	g.queue.Pop()
	g.stats.Drops, g.stats.Tenants[1].Packets = 1, 6
	w.Sample(512)
	l.SMReserved(dispatcher.SMEvent{Cycle: 600, SM: 1})
	l.TBLeaving(tb(600, 0, 0))
	l.TBLeaving(tb(600, 1, 0))
	l.TBFinished(tb(700, 1, 0))
	l.TBPreempted(tb(800, 0, 0))
	l.SMFreed(dispatcher.SMEvent{Cycle: 800, SM: 1})
	l.TBReturning(tb(900, 0, 0))
	l.Control(1000, protocol.Unit{Kind: protocol.KindSM, Index: 1}, protocol.NewQuotas(nil))
	require.NoError(t, w.Close(1126))
	return out.String()
}

// TestWaveSaysWhatHappened has times in picoseconds: cycles x 1,000,000 / 1126.
func TestWaveSaysWhatHappened(t *testing.T) {
	d := parse(t, story(t))
	assert.Equal(t, "1 ps", d.timescale)
	assert.Equal(t, uint64(1_000_000), d.end)
	assert.Equal(t, map[string]int{
		"GPU.SM[0].state": 2, "GPU.SM[0].tbs_0_sgemm_a": 6, "GPU.SM[0].quota_0_sgemm_a": 32,
		"GPU.SM[0].tbs_1_lbm": 6, "GPU.SM[0].quota_1_lbm": 32, "GPU.SM[0].Reply_Incoming": 1,
		"GPU.SM[1].state": 2, "GPU.SM[1].tbs_0_sgemm_a": 6, "GPU.SM[1].quota_0_sgemm_a": 32,
		"GPU.SM[1].tbs_1_lbm": 6, "GPU.SM[1].quota_1_lbm": 32, "GPU.SM[1].Reply_Incoming": 1,
		"GPU.NoC.In_0_Incoming": 4, "GPU.NoC.Out_0_Queue": 3,
		"GPU.NoC.drops": 64, "GPU.NoC.packets_0_sgemm_a": 64, "GPU.NoC.packets_1_lbm": 64,
	}, d.widths)
	for name, want := range map[string][]string{
		"GPU.SM[1].state":           {"0 1", "266429 10", "355239 1", "532859 11", "710479 0", "799289 1"},
		"GPU.SM[1].tbs_0_sgemm_a":   {"0 10", "355239 1", "710479 0", "799289 1"},
		"GPU.SM[1].tbs_1_lbm":       {"0 0", "355239 1", "621669 0"},
		"GPU.SM[1].quota_0_sgemm_a": {"0 x", "88809 11", "888099 x"},
		"GPU.SM[1].quota_1_lbm":     {"0 x", "88809 1", "888099 x"},
		"GPU.NoC.Out_0_Queue":       {"0 0", "113676 10", "454706 1"},
		"GPU.NoC.drops":             {"0 0", "454706 1"},
		"GPU.NoC.packets_0_sgemm_a": {"0 0"},
		"GPU.NoC.packets_1_lbm":     {"0 0", "113676 101", "454706 110"},
		"GPU.SM[0].state":           {"0 0"},
		"GPU.SM[0].quota_0_sgemm_a": {"0 x"},
	} {
		assert.Equal(t, want, d.changes[name], name)
	}
}

func TestConverterOfGTKWaveTakesTheWave(t *testing.T) {
	for _, program := range []string{"vcd2fst", "fst2vcd"} {
		need.Program(t, "gtkwave", program)
	}
	text := story(t)
	folder := t.TempDir()
	vcd, fst := filepath.Join(folder, "a.vcd"), filepath.Join(folder, "a.fst")
	require.NoError(t, os.WriteFile(vcd, []byte(text), 0o600))
	message, err := exec.Command("vcd2fst", vcd, fst).CombinedOutput()
	require.NoError(t, err, string(message))
	back, err := exec.Command("fst2vcd", fst).Output()
	require.NoError(t, err)
	want, got := parse(t, text), parse(t, string(back))
	assert.Equal(t, want.widths, got.widths)
	assert.Equal(t, want.changes, got.changes)
	assert.Equal(t, want.end, got.end)
}

type brokenWriter struct{ error }

func (w brokenWriter) Write([]byte) (int, error) { return 0, w.error }

func TestCloseReturnsTheErrorOfWriting(t *testing.T) {
	full := errors.New("no space left on device")
	w := newGPU(t).wave(brokenWriter{full})
	assert.ErrorIs(t, w.Close(1), full)
}

func TestCodesAreShortAndDiffer(t *testing.T) {
	seen := map[string]bool{}
	for n := range 94 + 94*94 + 10 {
		c := code(n)
		require.False(t, seen[c], "%d: %s", n, c)
		seen[c] = true
	}
	assert.Equal(t, []string{"!", "~", "!!"}, []string{code(0), code(93), code(94)})
}
