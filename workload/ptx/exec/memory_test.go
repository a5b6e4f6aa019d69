package exec

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/workload"
	"cotenant/workload/ptx"
)

func oneBlock(threads int) LaunchConfig {
	return LaunchConfig{Block: workload.Dim3{X: threads, Y: 1, Z: 1}}
}

func TestAllocationsAreAlignedApartAndFound(t *testing.T) {
	m := NewMemory()
	type array struct {
		addr  uint64
		bytes int
	}
	var arrays []array
	for i := range 200 {
		n := i * i * 7 % 9000
		align := 1 << (i % 13)
		a := array{m.Alloc(n, align), n}
		require.Zero(t, a.addr%uint64(max(align, 256)))
		require.GreaterOrEqual(t, a.addr, globalBase)
		if i > 0 {
			last := arrays[i-1]
			require.GreaterOrEqual(t, a.addr, last.addr+uint64(last.bytes)+256, "a gap between arrays")
		}
		arrays = append(arrays, a)
	}
	for i, a := range arrays {
		if a.bytes == 0 {
			continue
		}
		b, err := m.Bytes(a.addr, a.bytes)
		require.NoError(t, err)
		b[a.bytes-1] = byte(i)
		b, err = m.Bytes(a.addr+uint64(a.bytes)-1, 1)
		require.NoError(t, err)
		require.Equal(t, byte(i), b[0])
		_, err = m.Bytes(a.addr, a.bytes+1)
		require.Error(t, err)
		_, err = m.Bytes(a.addr+uint64(a.bytes), 1)
		require.Error(t, err)
		_, err = m.Bytes(a.addr-1, 1)
		require.Error(t, err)
	}
	for _, addr := range []uint64{0, globalBase - 1, sharedWindow, ^uint64(0)} {
		_, err := m.Bytes(addr, 1)
		require.Error(t, err)
	}
}

func TestModuleVariablesHaveTheirContentAndLinks(t *testing.T) {
	out := outputOf(t, `
.const .align 4 .u32 table[4] = {11, 22, 33, 44};
.global .align 4 .s32 place = -5;
.global .align 8 .u64 pointer[2] = {table+8, place};
`+kernel(`
	ld.const.u32 %r1, [table+4];
	st.global.u32 [%out], %r1;
	ld.global.u64 %x1, [pointer];
	ld.u32 %r1, [%x1];
	st.global.u32 [%out+4], %r1;
	ld.global.u64 %x1, [pointer+8];
	ld.global.s32 %x2, [%x1];
	st.global.u64 [%out+8], %x2;
	mov.u64 %x3, table;
	cvta.const.u64 %x4, %x3;
	isspacep.const %p1, %x4;
	isspacep.global %p2, %x1;
	selp.u32 %r1, 10, 0, %p1;
	@%p2 add.u32 %r1, %r1, 1;
	st.global.u32 [%out+16], %r1;`), 1, 5)
	require.Equal(t, []uint32{22, 33, 0xfffffffb, 0xffffffff, 11}, out)
	m, err := ptx.Parse("v.ptx", []byte(preamble+".global .align 4 .b8 here[12];"))
	require.NoError(t, err)
	mem := NewMemory()
	_, _, err = mem.Symbol(m, "here")
	require.EqualError(t, err, "v.ptx: no global or constant variable here is loaded")
	mem.Load(m)
	mem.Load(m)
	addr, n, err := mem.Symbol(m, "here")
	require.NoError(t, err)
	require.Equal(t, globalBase, addr)
	require.Equal(t, 12, n)
	require.Len(t, mem.allocs, 1, "loaded once")
}

func TestLoadsExtendAndStoresCut(t *testing.T) {
	out := outputOf(t, kernel(`
	mov.u32 %r1, 0x89abcdef;
	st.global.u32 [%out], %r1;
	ld.global.s8 %x1, [%out+1];
	ld.global.u8 %r2, [%out+1];
	ld.global.s16 %r3, [%out+2];
	ld.global.u16 %h1, [%out+2];
	st.global.u64 [%out+8], %x1;
	st.global.u32 [%out+16], %r2;
	st.global.u32 [%out+20], %r3;
	st.global.u16 [%out+24], %h1;
	st.global.u8 [%out+27], %r1;`), 1, 7)
	require.Equal(t, []uint32{0x89abcdef, 0, 0xffffffcd, 0xffffffff, 0xcd, 0xffff89ab, 0xef0089ab}, out)
}

func TestVectorsMoveSeveralElements(t *testing.T) {
	out := outputOf(t, kernel(`
	mul.lo.u32 %r1, %tid, 10;
	add.u32 %r2, %r1, 1; add.u32 %r3, %r1, 2; add.u32 %r4, %r1, 3;
	mad.wide.u32 %x1, %tid, 16, %out;
	st.global.v4.u32 [%x1], {%r1, %r2, %r3, %r4};
	ld.global.v2.b64 {%x2, %x3}, [%x1];
	st.global.v2.b64 [%x1], {%x3, %x2};
	ld.global.v4.u8 {%h1, _, %h2, %h3}, [%x1+4];
	cvt.u32.u16 %r5, %h1;
	st.global.v2.u32 [%x1+8], {7, %r5};`), 8, 32)
	for i := range uint32(8) {
		require.Equal(t, []uint32{10*i + 2, 10*i + 3, 7, 10*i + 3}, out[4*i:4*i+4])
	}
}

func TestLocalMemoryBelongsToTheThread(t *testing.T) {
	out := outputOf(t, kernel(`
	.local .align 8 .b8 stack[64];
	mov.u64 %x1, stack;
	cvta.local.u64 %x2, %x1;
	and.b32 %r2, %tid, 15;
	mad.wide.u32 %x3, %r2, 4, %x2;
	mad.wide.u32 %x4, %r2, 4, %x1;
	st.u32 [%x3], %tid;
	ld.local.u32 %r1, [%x4];
	st.local.u32 [stack+60], 3;
	ld.u32 %r3, [%x3];
	mad.lo.u32 %r1, %r3, 1000, %r1;
	isspacep.local %p1, %x3;
	@!%p1 mov.u32 %r1, 0;`+store), 64, 64)
	for i := range uint32(64) {
		want := 1001 * i
		if i%16 == 15 {
			want = 3000 + i
		}
		require.Equal(t, want, out[i])
	}
}

func TestStaticAndDynamicSharedMemoryLieOneBehindTheOther(t *testing.T) {
	cfg := oneBlock(32)
	cfg.DynamicShared = 128
	text := `
.extern .shared .align 16 .b8 dynamic[];
` + kernel(`
	.shared .align 4 .b8 fixed[20];
	mov.u64 %x1, dynamic;
	mov.u32 %r5, fixed;
	mad.wide.u32 %x2, %tid, 4, %x1;
	st.shared.u32 [%x2], %tid;
	st.shared.u32 [fixed+16], 99;
	cvta.shared.u64 %x3, %x2;
	ld.u32 %r1, [%x3];
	cvta.to.shared.u64 %x4, %x3;
	ld.shared.u32 %r2, [%x4];
	add.u32 %r1, %r1, %r2;
	cvt.u32.u64 %r3, %x1;
	mad.lo.u32 %r1, %r3, 1000, %r1;
	mov.u32 %r4, %total_smem_size;
	mad.lo.u32 %r1, %r4, 1000000, %r1;`+store)
	out, err := tryOutput(t, text, cfg, 32)
	require.NoError(t, err)
	for i := range uint32(32) {
		require.Equal(t, 160032000+2*i, out[i])
	}
	p, _ := compileText(t, text)
	require.Equal(t, 20, p.SharedBytes())
	cfg.DynamicShared = 64
	_, err = tryOutput(t, text, cfg, 32)
	require.EqualError(t, err, "test.ptx:22: st.shared.u32 in kernel k, thread (16,0,0) of thread block (0,0,0): "+
		"address 0x60 in .shared is past the end; valid are the 96 bytes from 0")
}

func TestGenericAddressesOfSeveralSpacesInOneInstruction(t *testing.T) {
	text := ".shared .align 4 .b8 s[128];\n" + kernel(`
	mov.u64 %x1, s;
	cvta.shared.u64 %x1, %x1;
	mad.wide.u32 %x1, %tid, 4, %x1;
	and.b32 %r2, %tid, 1;
	setp.eq.u32 %p1, %r2, 0;
	selp.b64 %x2, %x1, %mine, %p1;
	add.u32 %r3, %tid, 5;
	st.u32 [%x2], %r3;
	ld.u32 %r1, [%x2];
	isspacep.shared %p2, %x2;
	@%p2 add.u32 %r1, %r1, 100;`+store)
	out := outputOf(t, text, 32, 32)
	for i := range uint32(32) {
		require.Equal(t, i+5+100*(1-i%2), out[i])
	}
}

func TestParametersAreReadByNameAndByAddress(t *testing.T) {
	p, m := compileText(t, `
.visible .entry k(.param .u64 out, .param .u8 small, .param .align 8 .b8 box[24], .param .f32 last)
{
	.reg .b64 %x<9>;
	.reg .b32 %r<9>;
	ld.param.u64 %x1, [out];
	ld.param.u8 %r1, [small];
	mov.b64 %x2, box;
	ld.param.v2.u32 {%r2, %r3}, [%x2+8];
	cvta.param.u64 %x3, %x2;
	ld.u32 %r4, [%x3+20];
	ld.param.b32 %r5, [last];
	st.global.u32 [%x1], %r1;
	st.global.v2.u32 [%x1+8], {%r2, %r3};
	st.global.v2.u32 [%x1+16], {%r4, %r5};
	ret;
}`)
	require.Equal(t, []int{0, 8, 16, 40}, p.ParamOffsets())
	require.Equal(t, 44, p.ParamBytes())
	mem := NewMemory()
	mem.Load(m)
	addr := mem.Alloc(24, 0)
	block := make([]byte, 44)
	binary.LittleEndian.PutUint64(block, addr)
	for i := 8; i < 44; i++ {
		block[i] = byte(i)
	}
	cfg := oneBlock(32)
	cfg.Grid, cfg.Mem, cfg.Params = workload.Dim3{X: 1, Y: 1, Z: 1}, mem, block
	require.NoError(t, Run(p, &cfg))
	out, err := mem.Bytes(addr, 24)
	require.NoError(t, err)
	require.Equal(t, uint64(8), get(out, 8))
	require.Equal(t, block[24:32], out[8:16])
	require.Equal(t, block[36:44], out[16:24])
}

// Each of 32 threads adds its number to the upper half of a word.
func TestCompareAndSwapOfHalfAWordLeavesTheOtherHalf(t *testing.T) {
	out := outputOf(t, kernel(`
	mov.u32 %r1, 0xfff01234;
	st.global.u32 [%out], %r1;
	ld.global.u16 %h1, [%out+2];
	cvt.u16.u32 %h2, %tid;
$again:
	add.u16 %h3, %h1, %h2;
	atom.global.cas.b16 %h4, [%out+2], %h1, %h3;
	setp.eq.u16 %p1, %h4, %h1;
	mov.b16 %h1, %h4;
	@!%p1 bra $again;`), 32, 1)
	require.Equal(t, uint32((0xfff0+31*32/2)&0xffff<<16|0x1234), out[0])
}

func TestAtomicsActOneLaneAfterTheOther(t *testing.T) {
	type atomic struct {
		op, typ string
		start   uint64
		model   func(old, x uint64) uint64
	}
	signed := func(v uint64) int64 { return int64(int32(v)) }
	table := []atomic{
		{"add", "u32", 5, func(old, x uint64) uint64 { return old + x }},
		{"add", "u64", 1 << 40, func(old, x uint64) uint64 { return old + x }},
		{"min", "s32", 0xffffffff, func(old, x uint64) uint64 { return uint64(min(signed(old), signed(x))) }},
		{"max", "s32", 0xffffffff, func(old, x uint64) uint64 { return uint64(max(signed(old), signed(x))) }},
		{"min", "u32", 9, func(old, x uint64) uint64 { return min(old, x) }},
		{"max", "u64", 9, func(old, x uint64) uint64 { return max(old, x) }},
		{"and", "b32", 0xffff, func(old, x uint64) uint64 { return old & x }},
		{"or", "b64", 0x100, func(old, x uint64) uint64 { return old | x }},
		{"xor", "b32", 0x100, func(old, x uint64) uint64 { return old ^ x }},
		{"exch", "b32", 77, func(_, x uint64) uint64 { return x }},
		{"inc", "u32", 3, func(old, x uint64) uint64 {
			if old >= x {
				return 0
			}
			return old + 1
		}},
		{"dec", "u32", 3, func(old, x uint64) uint64 {
			if old == 0 || old > x {
				return x
			}
			return old - 1
		}},
		{"add", "f32", 0x3f800000, func(old, x uint64) uint64 {
			return uint64(math.Float32bits(math.Float32frombits(uint32(old)) + math.Float32frombits(uint32(x))))
		}},
		{"add", "f64", 0x3ff0000000000000, func(old, x uint64) uint64 {
			return math.Float64bits(math.Float64frombits(old) + math.Float64frombits(x))
		}},
	}
	for _, a := range table {
		for _, space := range []string{"global", "shared", "generic"} {
			name, addr := "."+space, "[%x1]"
			where := "add.u64 %x1, %out, 1024;"
			switch space {
			case "shared":
				where = "mov.u64 %x1, s;"
			case "generic":
				name = ""
				where = "mov.u64 %x1, s; cvta.shared.u64 %x1, %x1;"
			}
			bits := int(width(a.typ))
			operand := fmt.Sprintf("cvt.u%d.u32 %%x2, %%r1;", bits)
			if a.typ[0] == 'f' {
				operand = fmt.Sprintf("cvt.rn.%s.u32 %%d1, %%tid; mov.b64 %%x2, %%d1;", a.typ)
				if bits == 32 {
					operand = "cvt.rn.f32.u32 %f1, %tid; mov.b32 %r1, %f1; cvt.u64.u32 %x2, %r1;"
				}
			}
			reg := map[int]string{32: "%r", 64: "%x"}[bits]
			narrow := ""
			if bits == 32 {
				narrow = "cvt.u32.u64 %r2, %x2;"
			}
			red := fmt.Sprintf("red%s.%s.%s %s, %s2;", name, a.op, a.typ, addr, reg)
			if a.op == "exch" {
				red = ""
			}
			text := ".shared .align 8 .b8 s[8];\n" + kernel(fmt.Sprintf(`
	%s
	mov.b64 %%x3, %d;
	cvt.u32.u64 %%r3, %%x3;
	st%s.b%d %s, %s3;
	mad.lo.u32 %%r1, %%tid, 3, 1;
	and.b32 %%r1, %%r1, 15;
	%s %s
	%s
	atom%s.%s.%s %s4, %s, %s2;
	mad.wide.u32 %%x5, %%tid, 8, %%out;
	st.global.b%d [%%x5], %s4;
	ld%s.b%d %s4, %s;
	st.global.b%d [%%out+512], %s4;
	ret;`, where, int64(a.start), name, bits, addr, reg, operand, narrow, red,
				name, a.op, a.typ, reg, addr, reg, bits, reg, name, bits, reg, addr, bits, reg))
			cfg := oneBlock(32)
			out, err := tryOutput(t, text, cfg, 512)
			require.NoError(t, err, text)
			mask := ^uint64(0) >> (64 - bits)
			value := a.start
			operands := [32]uint64{}
			for i := range operands {
				operands[i] = uint64((3*i + 1) & 15)
				switch a.typ {
				case "f32":
					operands[i] = uint64(math.Float32bits(float32(i)))
				case "f64":
					operands[i] = math.Float64bits(float64(i))
				}
			}
			if a.op != "exch" {
				for _, x := range operands {
					value = a.model(value, x) & mask
				}
			}
			for i, x := range operands {
				got := uint64(out[2*i]) | uint64(out[2*i+1])<<32
				require.Equal(t, value, got&mask, "%s.%s.%s lane %d", space, a.op, a.typ, i)
				value = a.model(value, x) & mask
			}
			require.Equal(t, value, (uint64(out[128])|uint64(out[129])<<32)&mask)
		}
	}
}

func TestCompareAndSwapSucceedsForOneOfEqualExpectations(t *testing.T) {
	out := outputOf(t, kernel(`
	add.u32 %r2, %tid, 100;
	atom.global.cas.b32 %r1, [%out+128], 0, %r2;
	add.u64 %x1, %out, 136;
	cvt.u64.u32 %x2, %tid;
	add.u64 %x3, %x2, 1;
	atom.global.cas.b64 %x4, [%x1], %x2, %x3;`+store), 32, 64)
	for i := range 32 {
		want := uint32(100)
		if i == 0 {
			want = 0
		}
		require.Equal(t, want, out[i])
	}
	require.EqualValues(t, 100, out[32])
	require.EqualValues(t, 32, out[34], "each lane found what the one before left")
}

func TestASpinLockLetsEachThreadIn(t *testing.T) {
	out := outputOf(t, kernel(`
	mov.u32 %r5, 0;
$again:
	atom.global.cas.b32 %r1, [%out+4], 0, 1;
	setp.ne.u32 %p1, %r1, 0;
	@%p1 bra $next;
	ld.volatile.global.u32 %r2, [%out];
	add.u32 %r2, %r2, 1;
	st.volatile.global.u32 [%out], %r2;
	membar.gl;
	atom.global.exch.b32 %r3, [%out+4], 0;
	mov.u32 %r5, 1;
$next:
	setp.eq.u32 %p2, %r5, 0;
	@%p2 bra $again;`), 96, 2)
	require.Equal(t, []uint32{96, 0}, out)
}

func TestAtomicAdditionFlushesSubnormalsInGlobalMemoryOnly(t *testing.T) {
	out := outputOf(t, ".shared .align 4 .b8 s[4];\n"+kernel(`
	st.shared.u32 [s], 3;
	st.global.u32 [%out], 3;
	mov.b32 %f1, 5;
	red.shared.add.f32 [s], %f1;
	red.global.add.f32 [%out], %f1;
	ld.shared.u32 %r1, [s];
	st.global.u32 [%out+4], %r1;`), 1, 2)
	require.Equal(t, []uint32{0, 8}, out)
}
