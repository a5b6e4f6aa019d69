package wave

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/cta_dispatcher/policy"
	"cotenant/protocol"
)

// register is a value of a register alpha of tenant 0, and of a register without tenant.
func register(alpha, step float64) []policy.RegisterValue {
	return []policy.RegisterValue{{Name: "alpha", Tenant: 0, Value: alpha}, {Name: "step", Tenant: -1, Value: step}}
}

func TestRegistersAreReals(t *testing.T) {
	for _, first := range []uint64{0, 500} {
		g := newGPU(t)
		var out bytes.Buffer
		w := New(&out, Options{CoreMHz: 1000, Tenants: []string{"sgemm (a)", "lbm"}, Registers: true})
		w.Declare(g.sms, g.all, nil)
		l := w.Listener()
		if first > 0 {
			g.queue.Push(1)
			w.Sample(100)
			w.Sample(200)
		}
		l.Registers(first, register(1, 0))
		l.Registers(1000, register(1, -0.5))
		list := register(1.25, -0.5)
		l.Registers(1500, list)
		list[0].Value = 7 // is not kept
		require.NoError(t, w.Close(2000))
		d := parse(t, out.String())
		start := fmt.Sprint(first * 1000)
		assert.Equal(t, []string{start + " 1", "1500000 1.25"}, d.changes["GPU.Driver.alpha_0_sgemm_a"])
		assert.Equal(t, []string{start + " 0", "1000000 -0.5"}, d.changes["GPU.Driver.step"])
		assert.Equal(t, 64, d.widths["GPU.Driver.step"])
		if first > 0 {
			assert.Equal(t, []string{"0 0", "100000 1"}, d.changes["GPU.NoC.Out_0_Queue"])
		}
	}
}

func TestWaveWithoutTheRegistersThatItAwaitsIsWhole(t *testing.T) {
	text := func(registers bool) string {
		g := newGPU(t)
		var out bytes.Buffer
		w := New(&out, Options{CoreMHz: 1000, Tenants: []string{"a", "b"}, Registers: registers})
		w.Declare(g.sms, g.all, nil)
		if registers {
			w.Listener().Registers(5, nil)
		} else {
			require.Nil(t, w.Listener().Registers)
		}
		g.queue.Push(1)
		w.Sample(100)
		require.NoError(t, w.Close(2000))
		return out.String()
	}
	assert.Equal(t, text(false), text(true))
}

func TestWhatIsLeftOfQuotasIsSampled(t *testing.T) {
	g := newGPU(t)
	left, on := int64(40), false
	g.sms[1].QuotaLeft = func(tenant int) (int64, bool) { return left + int64(tenant), on }
	var out bytes.Buffer
	w := New(&out, Options{CoreMHz: 1000, Tenants: []string{"a", "b"}})
	w.Declare(g.sms, g.all, nil)
	w.Sample(100)
	on = true
	w.Sample(200)
	left = -1
	w.Sample(300)
	w.Sample(400)
	on = false
	require.NoError(t, w.Close(500))
	d := parse(t, out.String())
	minusOne := "111111111111111111111111111111111111111111111111"
	assert.Equal(t, []string{"0 x", "200000 101000", "300000 " + minusOne, "500000 x"}, d.changes["GPU.SM[1].quota_left_0_a"])
	assert.Equal(t, []string{"0 x", "200000 101001", "300000 0", "500000 x"}, d.changes["GPU.SM[1].quota_left_1_b"])
	assert.NotContains(t, d.widths, "GPU.SM[0].quota_left_0_a")
}

func TestQuotaThatIsNotGivenStays(t *testing.T) {
	g := newGPU(t)
	var out bytes.Buffer
	w := New(&out, Options{CoreMHz: 1000, Tenants: []string{"a", "b"}})
	w.Declare(g.sms, g.all, nil)
	unit := protocol.Unit{Kind: protocol.KindSM, Index: 0}
	w.Listener().Control(100, unit, protocol.NewQuotas([]int{3, 1}))
	m := &protocol.Quotas{On: true}
	m.Of[1] = protocol.Quota{Given: true, Amount: 1 << 50}
	w.Listener().Control(200, unit, m)
	require.NoError(t, w.Close(500))
	d := parse(t, out.String())
	assert.Equal(t, []string{"0 x", "100000 11"}, d.changes["GPU.SM[0].quota_0_a"])
	assert.Equal(t, []string{"0 x", "100000 1", "200000 11111111111111111111111111111111"}, d.changes["GPU.SM[0].quota_1_b"])
}
