package exec

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/workload"
)

// clusterOutput runs a kernel without timing, by Run and by Execute, which must agree, and returns the first
// words of its array.
func clusterOutput(t *testing.T, text string, grid, block, size workload.Dim3, words int) (out []uint32) {
	t.Helper()
	for _, all := range []bool{false, true} {
		p, m := compileText(t, text)
		mem := NewMemory()
		mem.Load(m)
		array := mem.Alloc(4*words, 0)
		cfg := &LaunchConfig{Grid: grid, Block: block, Cluster: size, Mem: mem, Params: params(array)}
		var err error
		if all {
			_, err = Execute(t.Context(), p, cfg, 3)
		} else {
			err = Run(p, cfg)
		}
		require.NoError(t, err)
		var have []uint32
		for i := range words {
			have = append(have, binary.LittleEndian.Uint32(mem.mustBytes(t, array, 4*words)[4*i:]))
		}
		if all {
			require.Equal(t, out, have)
		}
		out = have
	}
	return out
}

func dim(x, y, z int) workload.Dim3 { return workload.Dim3{X: x, Y: y, Z: z} }

// head declares what the kernels of these tests use. %me is the rank of the thread block, %one says that the
// thread is the first.
const clusterHead = `.reg .b32 %r<20>, %me, %n, %tid; .reg .b64 %out, %x<8>; .reg .pred %p<4>, %one; .reg .b16 %h;
	ld.param.u64 %out, [o];
	mov.u32 %me, %cluster_ctarank; mov.u32 %n, %cluster_nctarank; mov.u32 %tid, %tid.x; setp.eq.u32 %one, %tid, 0;
`

// Each thread block writes what its registers of clusters read, a word of 16 each, at its number in the grid.
func TestSpecialRegistersTellThePlaceInTheClusterAndTheClustersPlace(t *testing.T) {
	text := `.visible .entry k(.param .u64 o) { ` + clusterHead + `
	mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.y; mov.u32 %r3, %nctaid.x; mad.lo.u32 %r1, %r2, %r3, %r1;
	mov.u32 %r2, %ctaid.z; mov.u32 %r4, %nctaid.y; mul.lo.u32 %r3, %r3, %r4; mad.lo.u32 %r1, %r2, %r3, %r1;
	mad.wide.u32 %x1, %r1, 64, %out;
`
	names := []string{"clusterid.x", "clusterid.y", "clusterid.z", "nclusterid.x", "nclusterid.y", "nclusterid.z",
		"cluster_ctaid.x", "cluster_ctaid.y", "cluster_ctaid.z", "cluster_nctaid.x", "cluster_nctaid.y", "cluster_nctaid.z", "cluster_ctarank", "cluster_nctarank"}
	for i, name := range names {
		text += fmt.Sprintf("mov.u32 %%r5, %%%s; st.global.u32 [%%x1+%d], %%r5;\n", name, 4*i)
	}
	text += "mov.pred %p1, %is_explicit_cluster; selp.u32 %r5, 1, 0, %p1; st.global.u32 [%x1+56], %r5; ret; }"
	grid, size := dim(4, 6, 2), dim(2, 3, 1)
	out := clusterOutput(t, text, grid, dim(32, 1, 1), size, 16*grid.Count())
	for n := range grid.Count() {
		at := placeIn(grid, n)
		in := dim(at.X%2, at.Y%3, 0)
		require.Equal(t, []uint32{uint32(at.X / 2), uint32(at.Y / 3), uint32(at.Z), 2, 2, 2, uint32(in.X), uint32(in.Y), 0, 2, 3, 1,
			uint32(in.X + 2*in.Y), 6, 1}, out[16*n:16*n+15], at)
	}
	require.Zero(t, clusterOutput(t, text, dim(1, 1, 1), dim(32, 1, 1), workload.Dim3{}, 16)[14], "no cluster is asked for")
}

// Each thread block of four writes into the next one's shared memory, the barrier of the cluster holds all, and it
// reads its own and by an address of .shared::cluster that of the one before.
func TestThreadBlocksOfAClusterReachEachOthersSharedMemory(t *testing.T) {
	text := `.visible .entry k(.param .u64 o) .reqnctapercluster 4, 1, 1 { ` + clusterHead + `
	.shared .align 8 .b32 there[64];
	mad.lo.u32 %r1, %me, 100, %tid; shl.b32 %r2, %tid, 2; mov.u32 %r3, there; add.u32 %r3, %r3, %r2;
	add.u32 %r4, %me, 1; and.b32 %r4, %r4, 3;
	mapa.shared::cluster.u32 %r5, %r3, %r4;
	st.shared::cluster.u32 [%r5], %r1;
	barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;
	ld.shared.u32 %r6, [%r3];
	add.u32 %r7, %me, 3; and.b32 %r7, %r7, 3;
	cvt.u64.u32 %x1, %r3; cvta.shared.u64 %x1, %x1; mapa.u64 %x2, %x1, %r7;
	ld.u32 %r8, [%x2];
	getctarank.shared::cluster.u32 %r9, %r5; getctarank.u64 %r10, %x2; getctarank.shared::cluster.u32 %r11, %r3;
	isspacep.shared::cta %p1, %x2; isspacep.shared::cluster %p2, %x2; isspacep.shared::cta %p3, %x1;
	selp.u32 %r12, 1, 0, %p1; selp.u32 %r13, 2, 0, %p2; or.b32 %r12, %r12, %r13; selp.u32 %r13, 4, 0, %p3; or.b32 %r12, %r12, %r13;
	barrier.cluster.arrive; barrier.cluster.wait;
	mapa.u64 %x3, %x1, %r4; atom.add.u32 %r13, [%x3], 1000;
	barrier.cluster.arrive; barrier.cluster.wait;
	ld.shared.u32 %r14, [%r3];
	mov.u32 %r15, %ctaid.x; mad.lo.u32 %r15, %r15, 64, %tid; mad.wide.u32 %x4, %r15, 32, %out;
	st.global.v4.u32 [%x4], {%r6, %r8, %r9, %r10}; st.global.v4.u32 [%x4+16], {%r11, %r12, %r13, %r14};
	ret; }`
	out := clusterOutput(t, text, dim(8, 1, 1), dim(64, 1, 1), workload.Dim3{}, 8*64*8)
	for n := range uint32(8) {
		me := n % 4
		before, next := (me+3)%4, (me+1)%4
		for tid := range uint32(64) {
			at := out[8*(64*n+tid):][:8]
			mine, its, others := before*100+tid, (before+3)%4*100+tid, me*100+tid
			require.Equal(t, []uint32{mine, its, next, before, me, 2 | 4, others, mine + 1000}, at, "thread block %d, thread %d", n, tid)
		}
	}
}

// Thread block 0 waits at its mbarrier for 32 arrivals of each other one and for bytes that st.async and a bulk
// copy bring.
func TestAnMBarrierHearsOfTheOtherThreadBlocksOfTheCluster(t *testing.T) {
	text := `.visible .entry k(.param .u64 o) .explicitcluster .reqnctapercluster 2, 2, 1 { ` + clusterHead + `
	.shared .align 16 .b32 there[64]; .shared .align 16 .b32 mine[4]; .shared .align 8 .b64 bar;
	mov.u32 %r1, bar; mov.u32 %r2, there; mov.u32 %r3, mine;
	setp.eq.and.u32 %p1, %me, 0, %one;
	@%p1 mbarrier.init.shared.b64 [%r1], 97;
	mov.u32 %r4, 7; st.shared.v4.u32 [%r3], {%me, %r4, %r4, %r4};
	barrier.cluster.arrive; barrier.cluster.wait;
	mapa.shared::cluster.u32 %r5, %r1, 0; mapa.shared::cluster.u32 %r6, %r2, 0;
	setp.ne.u32 %p2, %me, 0;
	@%p2 bra OTHERS;
	@%one mbarrier.arrive.expect_tx.shared.b64 _, [%r1], 72;
	W: mbarrier.try_wait.parity.acquire.cluster.shared.b64 %p3, [%r1], 0;
	@!%p3 bra W;
	shl.b32 %r7, %tid, 2; add.u32 %r8, %r2, %r7; ld.shared.u32 %r9, [%r8];
	mad.wide.u32 %x1, %tid, 4, %out; st.global.u32 [%x1], %r9;
	bra DONE;
OTHERS:
	shl.b32 %r10, %me, 5; add.u32 %r6, %r6, %r10;
	@%one st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u64 [%r6], 4294967297, [%r5];
	@%one cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r6+16], [%r3], 16, [%r5];
	mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r5];
DONE:
	barrier.cluster.arrive; barrier.cluster.wait;
	ret; }`
	out := clusterOutput(t, text, dim(2, 2, 1), dim(32, 1, 1), workload.Dim3{}, 32)
	require.Equal(t, []uint32{1, 1, 0, 0, 1, 7, 7, 7, 1, 1, 0, 0, 2, 7, 7, 7, 1, 1, 0, 0, 3, 7, 7, 7}, out[8:32])
	require.Equal(t, make([]uint32, 8), out[:8])
}

// A copy with a mask comes to the same place in each thread block that the mask names, and tells its mbarrier there.
func TestAMulticastCopyComesToEachThreadBlockThatItsMaskNames(t *testing.T) {
	text := `.visible .entry k(.param .u64 o) .reqnctapercluster 4, 1, 1 { ` + clusterHead + `
	.shared .align 16 .b32 there[16]; .shared .align 8 .b64 bar;
	mov.u32 %r1, bar; mov.u32 %r2, there;
	@%one mbarrier.init.shared.b64 [%r1], 1;
	@%one mbarrier.arrive.expect_tx.shared.b64 _, [%r1], 64;
	barrier.cluster.arrive; barrier.cluster.wait;
	setp.eq.and.u32 %p1, %me, 1, %one;
	mov.u16 %h, 13;
	@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r2], [%out], 64, [%r1], %h;
	setp.eq.u32 %p2, %me, 1;
	@%p2 bra DONE;
	W: mbarrier.try_wait.parity.shared.b64 %p3, [%r1], 0;
	@!%p3 bra W;
DONE:
	barrier.cluster.arrive; barrier.cluster.wait;
	setp.ge.u32 %p3, %tid, 16;
	@%p3 ret;
	shl.b32 %r3, %tid, 2; add.u32 %r3, %r3, %r2; ld.shared.u32 %r4, [%r3];
	mad.lo.u32 %r5, %me, 16, %tid; mad.wide.u32 %x1, %r5, 4, %out; st.global.u32 [%x1+64], %r4;
	ret; }`
	for _, all := range []bool{false, true} {
		p, m := compileText(t, text)
		mem := NewMemory()
		mem.Load(m)
		array := mem.Alloc(5*64, 0)
		data := mem.mustBytes(t, array, 5*64)
		for i := range 16 {
			binary.LittleEndian.PutUint32(data[4*i:], uint32(i+1))
		}
		cfg := &LaunchConfig{Grid: dim(4, 1, 1), Block: dim(32, 1, 1), Mem: mem, Params: params(array)}
		if all {
			_, err := Execute(t.Context(), p, cfg, 1)
			require.NoError(t, err)
		} else {
			require.NoError(t, Run(p, cfg))
		}
		for rank := range 4 {
			for i := range 16 {
				want := uint32(i + 1)
				if rank == 1 {
					want = 0
				}
				require.Equal(t, want, binary.LittleEndian.Uint32(data[64*(rank+1)+4*i:]), "rank %d", rank)
			}
		}
	}
}

func TestClustersThatCannotBeLaunchedAreRefused(t *testing.T) {
	body := "{ ret; }"
	for _, c := range []struct {
		directives string
		grid, size workload.Dim3
		want       string
	}{
		{"", dim(4, 1, 1), dim(3, 1, 1), "grid is (4,1,1) with clusters of (3,1,1); valid are multiples"},
		{"", dim(32, 1, 1), dim(32, 1, 1), "clusters of (32,1,1); valid are 1 to 16 thread blocks"},
		{".maxclusterrank 4", dim(8, 1, 1), dim(8, 1, 1), "clusters of (8,1,1); valid are 1 to 4 thread blocks"},
		{".reqnctapercluster 2", dim(4, 1, 1), dim(4, 1, 1), "clusters of (4,1,1); valid are (2,1,1), the .reqnctapercluster"},
		{".explicitcluster", dim(4, 1, 1), workload.Dim3{}, "it has no size of clusters; valid with .explicitcluster is a size that the launch gives"},
	} {
		p, m := compileText(t, ".visible .entry k(.param .u64 o) "+c.directives+" "+body)
		mem := NewMemory()
		mem.Load(m)
		err := Run(p, &LaunchConfig{Grid: c.grid, Block: dim(32, 1, 1), Cluster: c.size, Mem: mem, Params: params(0)})
		require.ErrorContains(t, err, "cannot be launched: "+c.want)
	}
}

func TestFaultsOfClustersNameThem(t *testing.T) {
	for text, want := range map[string]string{
		"mapa.shared::cluster.u32 %r1, %r2, 4;":                                                                                                                 "thread block 4 of the cluster; valid are ranks below 2",
		"mov.u32 %r2, 0x5000000; getctarank.shared::cluster.u32 %r1, %r2;":                                                                                      "address 0x5000000 is not in the shared memory of the cluster",
		"mov.u32 %r2, there; mapa.shared::cluster.u32 %r1, %r2, 1; ld.shared::cluster.u32 %r1, [%r1+64];":                                                       "address 0x2000040 in .shared is past the end",
		"mov.u32 %r2, there; mapa.shared::cluster.u32 %r1, %r2, 1; mbarrier.arrive.shared::cluster.b64 %x1, [%r1];":                                             "gives no state; valid is _",
		"mov.u32 %r2, there; mov.u16 %h, 5; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r2], [%out], 16, [%r2], %h;": "thread blocks 0x5 of the cluster; valid are masks of 1 to 0x3",
		"mov.u32 %r2, there; mapa.shared::cluster.u32 %r1, %r2, 1; mbarrier.arrive.shared::cluster.b64 _, [%r1];":                                               "there is no mbarrier",
	} {
		p, m := compileText(t, ".visible .entry k(.param .u64 o) .reqnctapercluster 2 { .shared .align 16 .b32 there[16]; "+clusterHead+" setp.ne.u32 %p1, %me, 0; @%p1 ret; "+text+" ret; }")
		mem := NewMemory()
		mem.Load(m)
		err := Run(p, &LaunchConfig{Grid: dim(2, 1, 1), Block: dim(1, 1, 1), Mem: mem, Params: params(mem.Alloc(64, 0))})
		require.ErrorContains(t, err, want, text)
	}
}

// hours is a clock that the test sets.
type hours uint64

func (c *hours) Now() (cycle, nanoseconds uint64) { return uint64(*c), uint64(*c) }

// With a clock a thread block sees another one's arrival, and the end of a phase of the cluster's barrier, ClusterLag
// cycles later, and whichever of both acts first in a cycle.
func TestWhatAThreadBlockTellsAnotherIsSeenAfterTheLag(t *testing.T) {
	text := `.visible .entry k(.param .u64 o) .reqnctapercluster 2 { ` + clusterHead + `
	.shared .align 8 .b64 bar;
	mov.u32 %r1, bar; mbarrier.init.shared.b64 [%r1], 1;
	setp.ne.u32 %p1, %me, 0;
	@%p1 bra OTHER;
	mapa.shared::cluster.u32 %r2, %r1, 1; mbarrier.arrive.shared::cluster.b64 _, [%r2];
	barrier.cluster.arrive;
	bra WAIT;
OTHER:
	mbarrier.try_wait.parity.shared.b64 %p2, [%r1], 0;
	@!%p2 bra OTHER;
	barrier.cluster.arrive;
WAIT:
	barrier.cluster.wait;
	ret; }`
	for _, first := range []int{0, 1} {
		p, m := compileText(t, text)
		mem := NewMemory()
		mem.Load(m)
		cfg := &LaunchConfig{Grid: dim(2, 1, 1), Block: dim(1, 1, 1), Mem: mem, Params: params(0), ClusterLag: 90}
		require.NoError(t, p.Bind(cfg))
		clock := hours(0)
		tbs := []*TB{p.NewTB(cfg, 0), p.NewTB(cfg, 1)}
		Join(tbs)
		at := map[string]uint64{}
		for _, tb := range tbs {
			tb.Place(0, 2, &clock)
		}
		for ; clock < 1000; clock++ {
			for _, n := range []int{first, 1 - first} {
				w := tbs[n].Warps[0]
				in, ok := w.Next()
				if !ok {
					continue
				}
				r, err := w.Step()
				require.NoError(t, err)
				if !r.Retries {
					at[fmt.Sprintf("%d %s", n, in.Opcode())] = uint64(clock)
				}
			}
		}
		told, seen := at["0 mbarrier.arrive.shared.b64"], at["1 mbarrier.try_wait.parity.shared.b64"]
		require.GreaterOrEqual(t, seen, told+90)
		require.Less(t, seen, told+90+2, "it looks at every second cycle")
		ended := at["1 barrier.cluster.arrive"]
		require.Equal(t, ended+90, at["0 barrier.cluster.wait"])
		require.Equal(t, ended+90, at["1 barrier.cluster.wait"])
	}
}
