package exec

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/workload"
	"cotenant/workload/ptx"
)

// fuzzed are instructions with operands of any value: registers are drawn, and so are shared memory and the
// parameters, of which one is as large as a tensor map.
var fuzzed = []string{
	"mbarrier.init.shared.b64 [%r0], %r1;", "mbarrier.inval.shared.b64 [%r0];", "mbarrier.arrive.shared.b64 %l0, [%r0], %r1;",
	"mbarrier.arrive.noComplete.shared.b64 %l1, [%r0], %r2;", "mbarrier.arrive_drop.shared.b64 %l1, [%r0];", "mbarrier.arrive.expect_tx.shared.b64 %l0, [%r0], %r1;",
	"mbarrier.expect_tx.relaxed.cta.shared.b64 [%r0], %r1;", "mbarrier.complete_tx.shared.b64 [%r0], %r1;", "mbarrier.test_wait.shared.b64 %p, [%r0], %l0;",
	"mbarrier.try_wait.parity.shared.b64 %p, [%r0], %r1;", "mbarrier.pending_count.b64 %r1, %l0;", "mbarrier.arrive.b64 %l0, [%l1];",
	"cp.async.mbarrier.arrive.shared.b64 [%r0];", "cp.async.mbarrier.arrive.noinc.shared.b64 [%r0];",
	"cp.async.ca.shared.global [%r0], [%in], 8, %r1;", "cp.async.commit_group;", "cp.async.wait_group 1;", "cp.async.wait_all;", "ld.shared.v2.u32 {%r1, %r2}, [%r0];",
	"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r0], [%in], %r1, [%r2];", "cp.async.bulk.global.shared::cta.bulk_group [%in], [%r0], %r1;",
	"cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r0], [%r1], %r2, [%r0];",
	"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [%in], [%r0], %r1;", "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.inc.u32 [%r0], [%r1], 16, [%r2];",
	"cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%r0], [map, {%r1}], [%r2];",
	"cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%r0], [%l0, {%r1, %r2}], [%r2], %h;",
	"cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [map, {%r1, %r2, %r1}], [%r0];",
	"cp.reduce.async.bulk.tensor.2d.global.shared::cta.max.bulk_group [map, {%r1, %r2}], [%r0];",
	"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %l0, %l1, %p, 1, -1, 0, 1;",
	"wgmma.mma_async.sync.aligned.m64n16k32.s32.s8.u8.satfinite {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, {%r0, %r1, %r2, %r3}, %l1, 1;",
	"wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%f0, %f1, %f2, %f3}, %l1, %l0, 0, 1, 1;", "wgmma.wait_group.sync.aligned 0;",
	"mma.sync.aligned.m8n8k4.col.row.f32.f16.f16.f32 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, {%r0, %r1}, {%r2, %r3}, {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7};",
	"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f0, %f1, %f2, %f3}, {%r0, %r1, %r2, %r3}, {%r4, %r5}, {%f0, %f1, %f2, %f3};",
	"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r6, %r7}, {%r0, %r1, %r2, %r3}, {%r4, %r5}, {%r6, %r7};",
	"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 {%f0, %f1, %f2, %f3}, {%r0, %r1, %r2, %r3}, {%r4, %r5}, {%f0, %f1, %f2, %f3};",
	"barrier.cluster.arrive;", "barrier.cluster.wait;", "mapa.shared::cluster.u32 %r0, %r0, %r1;", "getctarank.shared::cluster.u32 %r1, %r0;", "elect.sync %r1|%p, %r2;",
	"st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [%r0], {%r1, %r2}, [%r0+8];", "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [%r0], %l0, [%r1];",
	"and.b32 %r0, %r0, 0x7f0;", "mov.u32 %r1, 16;", "and.b32 %r2, %r2, 0x3f8;", "add.u32 %r0, %r0, 8;", "and.b64 %l0, %l0, 0xc000003f003f003f;", "mov.u32 %r0, %r3;", "setp.ne.u32 %p, %r1, 0;",
	"@%p mov.u32 %r2, %r4;", "xor.b32 %r3, %r3, %r0;", "cvta.shared.u64 %l1, %l1;",
	"mma.sync.aligned.m16n8k64.row.col.satfinite.s32.s4.u4.s32 {%r0, %r1, %r2, %r3}, {%r0, %r1, %r2, %r3}, {%r4, %r5}, {%r0, %r1, %r2, %r3};",
	"mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc {%r0, %r1}, {%r2}, {%r3}, {%r4, %r5};",
	"wgmma.mma_async.sync.aligned.m64n8k256.s32.b1.b1.and.popc {%r0, %r1, %r2, %r3}, %l0, %l1, %p;",
	"ld.global.v8.f32 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, [%in+32];", "st.global.v4.b64 [%in], {%l0, %l1, %l0, %l1};",
	"st.shared::cluster.u32 [%r0], %r1;", "ld.shared::cluster.v2.u32 {%r1, %r2}, [%r0];", "atom.shared::cluster.add.u32 %r1, [%r0], %r2;", "red.shared::cluster.max.u32 [%r0], %r1;",
	"mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r0];", "mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%r0], %r1;",
	"mbarrier.try_wait.parity.acquire.cluster.shared.b64 %p, [%r0], %r1;", "mapa.u64 %l1, %l1, %r1;", "getctarank.u64 %r1, %l1;", "isspacep.shared::cluster %p, %l1;", "isspacep.shared::cta %p, %l1;",
	"mov.pred %p, %is_explicit_cluster;", "and.b32 %r1, %r1, 1;", "mov.u32 %r1, %cluster_ctarank;", "st.u32 [%l1], %r1;",
	"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r0], [%in], %r1, [%r2], %h;", "mov.u16 %h, 3;", "@%p ret;",
}

// ticks is a clock that goes on with each look.
type ticks uint64

func (c *ticks) Now() (cycle, nanoseconds uint64) {
	*c++
	return uint64(*c), uint64(*c)
}

// FuzzInstructions executes instructions of tensor cores, asynchronous copies and mbarriers on any values:
// none may end otherwise than by an error in one line.
func FuzzInstructions(f *testing.F) {
	for i := range fuzzed {
		f.Add([]byte{byte(i), byte(i + 1), byte(i * 3)}, []byte("0123456789abcdef0123456789abcdef"), i%2 == 0, byte(i))
	}
	good := TensorMap{Addr: Base(), Type: ptx.F16, Dims: []int{64, 8}, Strides: []int{128}, Box: []int{16, 4}, ElementStrides: []int{1, 1}, Swizzle: Swizzle32}
	f.Add([]byte{43, 0, 24, 25, 27}, append(make([]byte, 64), good.Bytes()...), false, byte(0))
	f.Fuzz(func(t *testing.T, choice, data []byte, check bool, cluster byte) {
		var text strings.Builder
		for _, c := range choice[:min(len(choice), 24)] {
			text.WriteString("\t" + fuzzed[int(c)%len(fuzzed)] + "\n")
		}
		p, m := compileText(t, `.visible .entry k(.param .align 64 .b8 words[64], .param .align 64 .b8 map[128], .param .u64 in)
{
	.shared .align 128 .b8 tile[2048];
	.reg .b32 %r<8>; .reg .b64 %l<2>, %in; .reg .f32 %f<8>; .reg .b16 %h; .reg .pred %p;
	ld.param.u64 %in, [in];
	ld.param.u64 %l0, [words]; ld.param.u64 %l1, [words+8]; ld.param.u16 %h, [words+16];
	ld.param.u32 %r0, [words+20]; ld.param.u32 %r1, [words+24]; ld.param.u32 %r2, [words+28]; ld.param.u32 %r3, [words+32];
	ld.param.u32 %r4, [words+36]; ld.param.u32 %r5, [words+40]; ld.param.f32 %f0, [words+44]; ld.param.f32 %f1, [words+48];
	st.shared.u64 [tile], %l0; st.shared.u64 [tile+16], %l1;
`+text.String()+"\tret;\n}\n")
		mem := NewMemory()
		mem.Load(m)
		at := mem.Alloc(1024, 0)
		block := make([]byte, p.ParamBytes())
		copy(block, data)
		binary.LittleEndian.PutUint64(block[p.ParamOffsets()[2]:], at)
		blocks := int(cluster%3) + 1
		cfg := &LaunchConfig{Grid: workload.Dim3{X: blocks, Y: 1, Z: 1}, Block: workload.Dim3{X: 128, Y: 1, Z: 1}, Mem: mem, Params: block, CheckAsync: check}
		if cluster&8 != 0 {
			cfg.Cluster = cfg.Grid
		}
		require.NoError(t, p.Bind(cfg))
		var tbs []*TB
		var warps []*Warp
		clock := ticks(0)
		for rank := range cfg.ClusterTBs() {
			tbs = append(tbs, p.NewTB(cfg, cfg.Member(0, rank)))
			warps = append(warps, tbs[rank].Warps...)
			if cluster&16 != 0 {
				tbs[rank].Place(rank, blocks, &clock)
			}
		}
		Join(tbs)
		for range 100 {
			for _, w := range warps {
				w.Spins()
				if _, err := w.Step(); err != nil {
					var input *workload.InputError
					require.True(t, errors.As(err, &input), "%v", err)
					require.NotContains(t, err.Error(), "\n")
					return
				}
			}
		}
	})
}
