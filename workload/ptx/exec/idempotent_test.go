package exec

import (
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/workload"
)

func TestIdempotentIsWhatReadsNothingThatItWrites(t *testing.T) {
	const variables = ".shared .align 8 .b8 scratch[1024];\n.global .align 4 .b8 table[64];\n.const .align 4 .b8 fixed[64];\n"
	for _, c := range []struct {
		name, body string
		same       bool // both pointers are to one array
		want       bool
	}{
		{"copies", "ld.global.u32 %r1, [%in]; st.global.u32 [%out], %r1;", false, true},
		{"copies in place", "ld.global.u32 %r1, [%in]; st.global.u32 [%out], %r1;", true, false},
		{"updates", "ld.global.u32 %r1, [%out+4]; st.global.u32 [%out], %r1;", false, false},
		{"reads only", "ld.global.u32 %r1, [%out];", true, true},
		{"by an index that it loads", "ld.global.s32 %r1, [%in]; mad.wide.s32 %x1, %r1, 4, %in; ld.global.u32 %r2, [%x1]; st.global.u32 [%out], %r2;", false, true},
		{"through a copy of the pointer", "add.s64 %x1, %out, 64; mov.b64 %x2, %x1; ld.u32 %r1, [%x2]; st.global.u32 [%out], %r1;", false, false},
		{"through a pointer of which one is chosen", "setp.eq.u32 %p1, %tid, 0; selp.b64 %x1, %in, %out, %p1; ld.global.u32 %r1, [%x1]; st.global.u32 [%out], %r1;", false, false},
		{"through a pointer that it loads", "ld.global.u64 %x1, [%in]; ld.global.u32 %r1, [%x1]; st.global.u32 [%out], %r1;", false, false},
		{"and a number of 64 bits beside it", "ld.param.u64 %x2, [n]; ld.global.u64 %x1, [%in]; add.s64 %x1, %x1, %x2; ld.global.u32 %r1, [%x1]; st.global.u32 [%out], %r1;", false, false},
		{"at a number of 64 bits", "ld.param.u64 %x2, [n]; add.s64 %x1, %in, %x2; ld.global.u32 %r1, [%x1]; st.global.u32 [%out], %r1;", false, true},
		{"adds atomically", "red.global.add.u32 [%out], %tid;", false, false},
		{"exchanges by a generic address", "atom.exch.b32 %r1, [%out], %tid;", false, false},
		{"adds atomically to shared memory", "mov.u64 %x1, scratch; red.shared.add.u32 [%x1], 1; bar.sync 0; ld.shared.u32 %r1, [scratch]; st.global.u32 [%out], %r1;", false, true},
		{"to shared memory by a generic address", "mov.u64 %x1, scratch; cvta.shared.u64 %x1, %x1; st.u32 [%x1], %tid; ld.u32 %r1, [%x1]; st.global.u32 [%out], %r1;", false, true},
		{"a variable that it writes", "ld.global.u32 %r1, [table]; st.global.u32 [table+4], %r1;", false, false},
		{"by an asynchronous copy", "cp.async.ca.shared.global [scratch], [%in], 4; ld.shared.u32 %r1, [scratch]; st.global.u32 [%out], %r1;", false, true},
		{"by an asynchronous copy in place", "cp.async.ca.shared.global [scratch], [%in], 4; ld.shared.u32 %r1, [scratch]; st.global.u32 [%out], %r1;", true, false},
		{"a constant", "ld.const.u32 %r1, [fixed]; st.global.u32 [table+4], %r1;", false, true},
		{"two pointers at once", "ld.param.v2.u64 {%x1, %x2}, [in]; ld.global.u32 %r1, [%x2]; st.global.u32 [%out], %r1;", false, false},
	} {
		p, m := compileText(t, variables+`.visible .entry k(.param .align 16 .u64 in, .param .u64 out, .param .u64 n) {
	.reg .b64 %in, %out, %x<4>; .reg .b32 %tid, %r<4>; .reg .pred %p<4>;
	ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %tid, %tid.x;
	`+c.body+" ret; }")
		mem := NewMemory()
		mem.Load(m)
		in, out := mem.Alloc(256, 0), mem.Alloc(256, 0)
		if c.same {
			out = in + 128
		}
		one := workload.Dim3{X: 1, Y: 1, Z: 1}
		require.Equal(t, c.want, p.Idempotent(&LaunchConfig{Grid: one, Block: one, Mem: mem, Params: params(in, out, 8)}), c.name)
	}
}

func TestATextureByItsHandleMayBeAnyArray(t *testing.T) {
	p, m := compileText(t, ".global .texref even;\n.global .texref odd;\n"+kernel(`
	mov.u64 %x1, odd;
	tex.1d.v4.u32.s32 {%r1, _, _, _}, [%x1, {%tid}];
	st.global.u32 [%out], %r1;`))
	cfg := twoTextures()
	cfg.Mem.Load(m)
	for out, want := range map[uint64]bool{cfg.Mem.Alloc(128, 0): true, cfg.Textures["even"].Addr: false} {
		cfg.Params = params(out)
		require.Equal(t, want, p.Idempotent(&cfg), out)
	}
}
