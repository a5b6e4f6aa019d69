package exec

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/workload"
)

func TestAPhaseEndsWhenArrivalsAndBytesAreAllThere(t *testing.T) {
	b := barrierOf(0, 2, 2, 0)
	step := func(count, drop uint64, expect int64, phase, pending uint64, tx int64) {
		t.Helper()
		var problem string
		b, problem = b.arrive(count, drop, expect)
		require.Empty(t, problem)
		require.Equal(t, []any{phase, pending, tx}, []any{b.phase(), b.pending(), b.bytes()})
	}
	step(1, 0, 0, 0, 1, 0)
	step(0, 0, 512, 0, 1, 512)
	step(1, 0, 0, 0, 0, 512) // the bytes are missing
	step(0, 0, -500, 0, 0, 12)
	step(0, 0, -12, 1, 2, 0)
	step(0, 0, -16, 1, 2, -16) // bytes may come before they are expected
	step(1, 1, 16, 1, 1, 0)    // one thread fewer from now on
	step(1, 0, 0, 0, 1, 0)
	step(1, 0, 0, 1, 1, 0)
	_, problem := b.arrive(2, 0, 0)
	require.Contains(t, problem, "2 arrivals, of which 1 are pending")
	_, problem = b.arrive(0, 0, 1<<20)
	require.Contains(t, problem, "1048576 bytes; valid are up to 1048575")
	_, problem = mbarrier(0).arrive(1, 0, 0)
	require.Contains(t, problem, "there is no mbarrier")
}

// Three warps wait for the first one, which computes for long, in each of some phases. The second array
// has what the states say.
const waitingText = `.visible .entry k(.param .u64 output)
{
	.reg .b64 %out, %state, %old; .reg .b32 %tid, %warp, %i, %x, %phase, %lane; .reg .pred %p, %first, %done;
	.shared .align 8 .b64 bar[2];
	.shared .b32 data;
	ld.param.u64 %out, [output];
	mov.u32 %tid, %tid.x;
	mad.wide.u32 %out, %tid, 4, %out;
	shr.u32 %warp, %tid, 5;
	setp.eq.u32 %first, %tid, 0;
	@%first mbarrier.init.shared::cta.b64 [bar], 1;
	@%first mbarrier.init.shared::cta.b64 [bar+8], 96;
	fence.mbarrier_init.release.cluster;
	bar.sync 0;
	mov.u32 %x, 0; mov.u32 %phase, 0;
	setp.ne.u32 %p, %warp, 0;
	@%p bra consumer;
producer:
	mov.u32 %i, 0;
work:
	add.u32 %i, %i, 1;
	setp.lt.u32 %p, %i, 3000;
	@%p bra work;
	add.u32 %x, %x, 7;
	@%first st.shared.u32 [data], %x;
	@%first mbarrier.arrive.shared::cta.b64 %state, [bar];
	@%first mbarrier.test_wait.shared::cta.b64 %done, [bar], %state;
	@!%first setp.eq.u32 %done, 0, 0;
wait2:
	mbarrier.try_wait.parity.shared::cta.b64 %p, [bar+8], %phase;
	@!%p bra wait2;
	xor.b32 %phase, %phase, 1;
	setp.lt.u32 %p, %x, 35;
	@%p bra producer;
	selp.u32 %x, %x, 0, %done;
	st.global.u32 [%out], %x;
	ret;
consumer:
	mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p, [bar], %phase, 100;
	@!%p bra consumer;
	ld.shared.u32 %i, [data];
	mad.lo.u32 %x, %x, 3, %i;
	mbarrier.arrive.release.cta.shared::cta.b64 _, [bar+8];
	xor.b32 %phase, %phase, 1;
	setp.lt.u32 %p, %i, 35;
	@%p bra consumer;
	st.global.u32 [%out], %x;
	ret;
}
`

func TestWarpsThatWaitLetOthersGoOn(t *testing.T) {
	want := uint32(0)
	for i := range uint32(5) {
		want = 3*want + 7*(i+1)
	}
	block := workload.Dim3{X: 128, Y: 1, Z: 1}
	check := func(run func(p *Program, cfg *LaunchConfig) error) {
		p, m := compileText(t, waitingText)
		mem := NewMemory()
		mem.Load(m)
		at := mem.Alloc(512, 0)
		require.NoError(t, run(p, &LaunchConfig{Grid: workload.Dim3{X: 1, Y: 1, Z: 1}, Block: block, Mem: mem, Params: params(at)}))
		data, err := mem.Bytes(at, 512)
		require.NoError(t, err)
		for i := range 128 {
			expected := want
			if i < 32 {
				expected = 35
			}
			require.EqualValues(t, expected, get(data[4*i:], 4), i)
		}
	}
	check(Run)
	check(func(p *Program, cfg *LaunchConfig) error {
		n, err := Execute(context.Background(), p, cfg, 1)
		assert.Less(t, n, uint64(5*4*3*3000)) // waiting warps do not spin
		return err
	})
}

func TestWrongUsesOfAnMbarrierAreFaults(t *testing.T) {
	for text, want := range map[string]string{
		"mbarrier.arrive.shared.b64 %l, [%r];":                                                                                 "there is no mbarrier; valid is one that mbarrier.init has made",
		"mbarrier.try_wait.parity.shared.b64 %p, [%r], 0;":                                                                     "there is no mbarrier",
		"mbarrier.init.shared.b64 [%r], 0;":                                                                                    "count 0; valid are 1 to 1048575",
		"mbarrier.init.shared.b64 [%r], 1; mbarrier.arrive.shared.b64 _, [%r], 2;":                                             "2 arrivals, of which 1 are pending",
		"mbarrier.init.shared.b64 [%r], 1; mbarrier.arrive.noComplete.shared.b64 _, [%r], 1;":                                  "the arrival ends the phase",
		"mbarrier.init.shared.b64 [%r+4], 1;":                                                                                  "is not a multiple of the 8 bytes accessed",
		"mov.b64 %l, 268435456; mbarrier.init.b64 [%l], 1;":                                                                    "its address is not in shared memory",
		"mbarrier.init.shared.b64 [%r], 1; mbarrier.inval.shared.b64 [%r]; mbarrier.expect_tx.relaxed.cta.shared.b64 [%r], 4;": "there is no mbarrier",
	} {
		_, err := tryOutput(t, `.visible .entry k(.param .u64 o) { .shared .align 8 .b64 bar[2]; .reg .b32 %r; .reg .b64 %l; .reg .pred %p; mov.u32 %r, bar; `+text+" ret; }",
			LaunchConfig{Block: workload.Dim3{X: 1, Y: 1, Z: 1}}, 1)
		require.ErrorContains(t, err, want, text)
	}
}

func TestArrivalsOfCopiesAndPendingCounts(t *testing.T) {
	out := outputOf(t, `.visible .entry k(.param .u64 o) { .shared .align 8 .b64 bar; .reg .b32 %r<6>; .reg .b64 %l<4>; .reg .pred %p;
	ld.param.u64 %l1, [o];
	mbarrier.init.shared.b64 [bar], 5;
	cp.async.mbarrier.arrive.noinc.shared.b64 [bar];
	cp.async.mbarrier.arrive.shared.b64 [bar];
	mbarrier.arrive_drop.shared.b64 %l2, [bar];
	mbarrier.pending_count.b64 %r1, %l2;
	mbarrier.arrive.expect_tx.relaxed.cta.shared::cluster.b64 %l2, [bar], 32;
	mbarrier.pending_count.b64 %r2, %l2;
	mbarrier.arrive.shared.b64 %l2, [bar], 2;
	mbarrier.test_wait.shared.b64 %p, [bar], %l2;
	selp.u32 %r3, 1, 0, %p;
	mbarrier.complete_tx.shared::cta.b64 [bar], 32;
	mbarrier.test_wait.acquire.cta.shared.b64 %p, [bar], %l2;
	selp.u32 %r4, 1, 0, %p;
	mbarrier.arrive.noComplete.release.cta.shared.b64 %l2, [bar], 3;
	mbarrier.pending_count.b64 %r5, %l2;
	st.global.v4.u32 [%l1], {%r1, %r2, %r3, %r4};
	st.global.u32 [%l1+16], %r5;
	ret; }`, 1, 5)
	require.Equal(t, []uint32{4, 3, 0, 1, 4}, out)
}

// A cluster of one thread block: its barrier, its registers, the election of a lane.
func TestAClusterIsOneThreadBlock(t *testing.T) {
	var stores strings.Builder
	for i, name := range []string{"clusterid.x", "nclusterid.x", "cluster_ctaid.x", "cluster_nctaid.y", "cluster_ctarank", "cluster_nctarank"} {
		fmt.Fprintf(&stores, "mov.u32 %%r1, %%%s; st.global.u32 [%%l1+%d], %%r1;\n", name, 4*i)
	}
	out := outputOf(t, `.visible .entry k(.param .u64 o) .reqnctapercluster 1, 1, 1 { .shared .align 8 .b32 there[4]; .shared .align 8 .b64 bar; .reg .b32 %r<9>; .reg .b64 %l<4>; .reg .pred %p, %q;
	ld.param.u64 %l1, [o];
	mov.u32 %r8, %tid.x;
	setp.eq.u32 %q, %r8, 32;
	mov.u32 %r2, there;
	@%q mbarrier.init.shared.b64 [bar], 1;
	@%q mbarrier.expect_tx.shared.b64 [bar], 12;
	barrier.cluster.arrive.release.aligned;
	barrier.cluster.wait.acquire.aligned;
	mapa.shared::cluster.u32 %r3, %r2, 0;
	getctarank.shared::cluster.u32 %r4, %r3;
	@%q st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [%r3], {11, 12}, [bar];
	@%q red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r3+4], 5, [bar];
	@%q mbarrier.arrive.shared.b64 _, [bar];
again:
	mbarrier.try_wait.parity.shared.b64 %p, [bar], 0;
	@!%p bra again;
	setmaxnreg.dec.sync.aligned.u32 40;
	griddepcontrol.wait;
	fence.proxy.async.shared::cta;
	ld.shared::cluster.v2.u32 {%r5, %r6}, [%r3];
	elect.sync %r7|%p, 0xfffffff0;
	@!%p bra done;
	barrier.cluster.arrive;
	`+stores.String()+`
	st.global.v2.u32 [%l1+24], {%r5, %r6};
	st.global.v2.u32 [%l1+32], {%r7, %r8};
done:
	ret; }`, 64, 10)
	require.Equal(t, []uint32{0, 1, 0, 1, 0, 1, 11, 17, 4, 36}, out)
}
