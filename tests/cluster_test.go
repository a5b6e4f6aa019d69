package tests

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	dispatcher "cotenant/cta_dispatcher"
	"cotenant/cta_dispatcher/policy"
	"cotenant/host"
	"cotenant/platform/wiring"
	"cotenant/workload"
	"cotenant/workload/source"
)

// clustered is a kernel with a body, in PTX, of 8 thread blocks of 64 threads; its array has a word for each thread,
// for which value is expected.
func clustered(t *testing.T, gpu *wiring.Config, body, cluster, value string) *workload.App {
	t.Helper()
	folder := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	write("k.ptx", `.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 out)
{
	.reg .b32 %r<20>, %me, %n, %tid, %c<4>; .reg .pred %p<4>, %one; .reg .b64 %x<8>, %out; .reg .b16 %h;
	.shared .align 8 .b32 there[64]; .shared .align 8 .b64 bar;
	ld.param.u64 %out, [out];
	mov.u32 %me, %cluster_ctarank; mov.u32 %n, %cluster_nctarank; mov.u32 %tid, %tid.x; setp.eq.u32 %one, %tid, 0;
	mov.u32 %r1, %ctaid.x; mad.lo.u32 %r1, %r1, 64, %tid; mad.wide.u32 %x1, %r1, 4, %out;
	mov.u32 %r2, there; shl.b32 %r3, %tid, 2; add.u32 %r2, %r2, %r3;
	add.u32 %r4, %me, 1; rem.u32 %r4, %r4, %n;
	mapa.shared::cluster.u32 %r5, %r2, %r4;
`+body+"\n	ret;\n}\n")
	write("k.yaml", "name: k\nptx: k.ptx\narrays:\n  - {name: c, type: u32, length: 512, formula: i}\nkernels:\n  - {name: k, block: [64]}\n"+
		"steps:\n  - launch: {kernel: k, grid: [8], "+cluster+"args: [c]}\n"+
		"  - expect: {array: c, formula: \""+value+"\"}\n")
	app, err := source.Open("ptx:"+filepath.Join(folder, "k.yaml"), source.Options{Target: gpu.Streams()})
	require.NoError(t, err)
	return app
}

// passOn gives each thread block the words of the one before, over the cluster's shared memory.
const passOn = `
	mad.lo.u32 %r6, %me, 100, %tid;
	st.shared::cluster.u32 [%r5], %r6;
	barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;
	ld.shared.u32 %r8, [%r2]; st.global.u32 [%x1], %r8;`

// before is what passOn leaves, of clusters of four.
const before = "i % 64 + 100 * ((i / 64 + 3) % 4)"

// The thread blocks of a cluster begin in one cycle, on SMs of one GPC.
func TestTheThreadBlocksOfAClusterBeginTogetherOnOneGPC(t *testing.T) {
	gpu := preset(t, "h100?sms=6&gpcs=[2,4]&sm.tbs=2")
	require.Equal(t, uint64(1), run(t, gpu, "fcfs", 0, clustered(t, gpu, passOn, "cluster: [4], ", before)).Kernels[0].Expects.Passed)
	fcfs, err := policy.Parse("fcfs")
	require.NoError(t, err)
	began, on, blocks := map[int]uint64{}, map[int]int{}, map[int]int{}
	l := dispatcher.Listener{TBPlaced: func(e dispatcher.TBEvent) {
		began[e.TB], on[e.TB] = e.Cycle, e.SM
		blocks[e.SM]++
	}}
	p, err := wiring.NewWatched(*gpu, fcfs, []host.Process{{App: clustered(t, gpu, passOn, "cluster: [4], ", before)}}, wiring.Listeners{Driver: l})
	require.NoError(t, err)
	require.NoError(t, p.Run(t.Context(), 0, nil))
	require.Len(t, on, 8)
	for first := 0; first < 8; first += 4 {
		for tb := first; tb < first+4; tb++ {
			require.Equal(t, began[first], began[tb])
			require.Equal(t, on[first] < 2, on[tb] < 2, "the GPC")
		}
	}
	require.Equal(t, map[int]int{0: 2, 1: 2, 2: 1, 3: 1, 4: 1, 5: 1}, blocks)
	cycles := p.Cycles(0)
	for seed := range uint64(3) {
		shuffled, err := wiring.New(*gpu, fcfs, []host.Process{{App: clustered(t, gpu, passOn, "cluster: [4], ", before)}})
		require.NoError(t, err)
		shuffled.Engine().Shuffle(seed + 1)
		require.NoError(t, shuffled.Run(t.Context(), 0, nil))
		require.Equal(t, cycles, shuffled.Cycles(0), "the order of the modules of an edge does not matter")
	}
}

// A cluster that no GPC holds, a GPU without clusters, and a policy that places thread blocks one by one are refused.
func TestClustersThatCannotRunAreRefusedByName(t *testing.T) {
	for _, c := range []struct{ gpu, policy, cluster, want string }{
		{"h100", "smk", "cluster: [4], ", `kernel k has clusters of 4 thread blocks, which the policy does not keep together; valid with clusters is fcfs`},
		{"h100?sms=4&gpcs=[2,2]&sm.tbs=1", "fcfs", "cluster: [4], ", `clusters of 4 thread blocks; valid are up to 2, as many as fit the SMs of a GPC`},
		{"a100", "fcfs", "cluster: [4], ", `clusters of 4 thread blocks; valid on this GPU are clusters of 1: it has no gpcs, or no sm.lsu.remote_latency`},
		{"h100", "fcfs", "cluster: [3], ", `grid is (8,1,1) with clusters of (3,1,1); valid are multiples`},
	} {
		gpu := preset(t, c.gpu)
		p, err := policy.Parse(c.policy)
		require.NoError(t, err)
		wired, err := wiring.New(*gpu, p, []host.Process{{App: clustered(t, gpu, passOn, c.cluster, before)}})
		if err == nil {
			err = wired.Run(t.Context(), 0, nil)
		}
		require.ErrorContains(t, err, c.want, c.policy)
	}
}

// A chain of loads from another thread block's shared memory takes the latency of the preset for each; a thread
// measures it by its clock.
func TestAccessesToAnotherThreadBlockTakeTheRemoteLatency(t *testing.T) {
	chase := func(place string) string {
		return `
	mov.u32 %r6, there; mapa.shared::cluster.u32 %r7, %r6, %me; st.shared.u32 [%r2], %r7;
	mapa.shared::cluster.u32 %r7, %r6, ` + place + `;
	barrier.cluster.arrive; barrier.cluster.wait;
	mov.u32 %c0, %clock;
	ld.shared::cluster.u32 %r7, [%r7]; ld.shared::cluster.u32 %r7, [%r7]; ld.shared::cluster.u32 %r7, [%r7]; ld.shared::cluster.u32 %r7, [%r7];
	add.u32 %r9, %r7, 0;
	sub.u32 %r9, %r9, %r9;
	mov.u32 %c1, %clock; add.u32 %c1, %c1, %r9;
	barrier.cluster.arrive; barrier.cluster.wait;
	st.global.u32 [%x1], %r7;`
	}
	cycles := func(gpu *wiring.Config, place string) uint64 {
		app := clustered(t, gpu, chase(place), "cluster: [2], ", "0 * i")
		l := run(t, gpu, "fcfs", 0, app).Kernels[0].Launches[0]
		return l.EndCycle - l.StartCycle
	}
	near, far := preset(t, "h100"), preset(t, "h100?sm.lsu.remote_latency=281")
	base := preset(t, "h100?sm.lsu.remote_latency=181")
	require.Equal(t, 181, near.SM.LSU.RemoteLatency)
	remote := cycles(base, "%r4")
	require.Equal(t, remote, cycles(near, "%r4"))
	local := cycles(base, "%me")
	require.InDelta(t, 4*(181-29), remote-local, 2, "four loads, each of which waits for the one before")
	// Two barriers of the cluster take 50 cycles more each, one way, and the loads 100 each.
	require.InDelta(t, 4*100+2*50, cycles(far, "%r4")-remote, 2)
}

// Thread block 0 of each cluster sleeps for 20 us and then arrives at the other's mbarriers, which wait for that and
// do not look hundreds of times.
func TestAWarpWaitsForAnArrivalOfAnotherThreadBlock(t *testing.T) {
	gpu := preset(t, "h100")
	body := `
	mov.u32 %r6, bar; @%one mbarrier.init.shared.b64 [%r6], 1;
	barrier.cluster.arrive; barrier.cluster.wait;
	setp.ne.u32 %p1, %me, 0;
	@%p1 bra OTHERS;
	setp.ge.u32 %p2, %tid, 32;
	@%p2 bra DONE;
	nanosleep.u32 20000;
	setp.ge.u32 %p2, %tid, 3;
	@%p2 bra DONE;
	add.u32 %r7, %tid, 1; mapa.shared::cluster.u32 %r7, %r6, %r7;
	mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r7];
	bra DONE;
OTHERS:
	mbarrier.try_wait.parity.acquire.cluster.shared.b64 %p3, [%r6], 0;
	@!%p3 bra OTHERS;
DONE:
	st.global.u32 [%x1], %me;
	barrier.cluster.arrive; barrier.cluster.wait;`
	r := run(t, gpu, "fcfs", 0, clustered(t, gpu, body, "cluster: [4], ", "(i / 64) % 4"))
	require.Equal(t, uint64(1), r.Kernels[0].Expects.Passed)
	l := r.Kernels[0].Launches[0]
	cycles := l.EndCycle - l.StartCycle
	require.Greater(t, cycles, uint64(20*1830))
	require.Less(t, cycles, uint64(20*1830+4000), "they are told, and do not wait for the limit of a look")
	require.Less(t, l.WarpInstructions, uint64(16*80))
	require.Greater(t, l.Stalls["mbarrier_wait"], uint64(6*2*20*1000))
}

// A multicast copy comes to the thread blocks of its mask, here to all but its sender: they wait until it has
// come from memory.
func TestAMulticastCopyTellsTheOtherThreadBlocksWhenItHasCome(t *testing.T) {
	body := `
	mov.u32 %r6, bar; mov.u32 %r7, there; mov.u16 %h, 13;
	@%one mbarrier.init.shared.b64 [%r6], 1;
	@%one mbarrier.arrive.expect_tx.shared.b64 _, [%r6], 256;
	barrier.cluster.arrive; barrier.cluster.wait;
	setp.eq.u32 %p1, %me, 1;
	@!%p1 bra W;
	@%one cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r7], [%out], 256, [%r6], %h;
	st.shared.u32 [%r2], %tid;
	bra DONE;
W:	mbarrier.try_wait.parity.shared.b64 %p3, [%r6], 0;
	@!%p3 bra W;
DONE:
	ld.shared.u32 %r8, [%r2]; st.global.u32 [%x1], %r8;
	barrier.cluster.arrive; barrier.cluster.wait;`
	cycles := func(name string) int {
		gpu := preset(t, name)
		r := run(t, gpu, "fcfs", 0, clustered(t, gpu, body, "cluster: [4], ", "i % 64"))
		require.Equal(t, uint64(1), r.Kernels[0].Expects.Passed)
		l := r.Kernels[0].Launches[0]
		return int(l.EndCycle - l.StartCycle)
	}
	fast := cycles("h100")
	require.Greater(t, fast, 105+264+181, "the copy, and what is told")
	require.InDelta(t, 895, cycles("h100?sm.tma.latency=1000")-fast, 10)
}

// One thread block of a cluster does not come to the barrier: the run ends with an error.
func TestAClusterThatWaitsInVainEndsTheRun(t *testing.T) {
	gpu := preset(t, "h100")
	body := `
	setp.ne.u32 %p1, %me, 2;
	@%p1 bra REST;
	mov.u32 %r6, bar; @%one mbarrier.init.shared.b64 [%r6], 1;
W:	mbarrier.try_wait.parity.shared.b64 %p3, [%r6], 0;
	@!%p3 bra W;
REST:
	barrier.cluster.arrive; barrier.cluster.wait;`
	p := platform(t, gpu, "fcfs", false, clustered(t, gpu, body, "cluster: [4], ", "0 * i"))
	p.EndSpins()
	err := p.Run(t.Context(), 0, nil)
	require.ErrorContains(t, err, "waits for the other warps of its cluster")
	require.ErrorContains(t, err, "waits for the end of a phase of the mbarrier in bar (8 bytes of shared memory; byte 0), with 1 arrival and 0 bytes pending")
	require.NotContains(t, err.Error(), "\n")
}
