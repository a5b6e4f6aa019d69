package ptx

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/workload"
)

// What no launch can reach is read as far as it takes to find its end.
func TestFaultsAreThoseOfOneFunction(t *testing.T) {
	const good = "\n.entry k() { .reg .u64 a; mov.u64 a, 1; ret; }\n"
	for name, other := range map[string]string{
		"an operation":          ".entry o() { .reg .b32 r; wgmma.fence; }",
		"a slip":                ".entry o() { .reg .b32 r; ad.u32 r, r, 1; }",
		"a type of a register":  ".entry o() { .reg .b128 r; }",
		"a parameter":           ".entry o(.param .b128 x) { ret; }",
		"a parameter's kind":    ".entry o(.bogus .b32 x) .pragma \"p\"; { ret; }",
		"a result":              ".func (.param .b128 r) o(.param .b32 x) { ret; }",
		"a directive":           ".entry o() .reqnctapercluster 2 .blocksareclusters { ret; }",
		"another directive":     ".entry o() { .bogus x { 1; } }",
		"a declaration":         ".extern .func o(.param .b128 x);",
		"a call without a body": ".extern .func f(); .entry o() { call f; }",
		"a label":               ".entry o() { bra nowhere; }",
		"a variable":            ".global .b128 o = { 1, 2 };",
		"an unknown variable":   ".extern .const .bogus o[];",
		"the end of a head":     ".entry o() .maxntid { ret; }",
		"the end of a body":     ".entry o() { .reg .b32 r; mov.b32 r, }",
		"too many braces":       ".entry o() " + strings.Repeat("{", 200) + strings.Repeat("}", 200),
	} {
		for _, text := range []string{good + other, other + good} {
			m, err := Parse("t.ptx", []byte(head+text))
			require.NoError(t, err, name)
			for _, f := range m.Funcs {
				if f.Name == "k" {
					assert.NoError(t, f.Fault, name)
					assert.Len(t, f.Insts, 2, name)
					continue
				}
				var input *workload.InputError
				assert.True(t, errors.As(f.Fault, &input), name)
				assert.Empty(t, f.Insts, name)
			}
			assert.Empty(t, m.Vars, name)
		}
	}
}

// A fault that is read behind where its part should end may be of the next part.
func TestAFaultWhoseEndIsNotClearIsTheFiles(t *testing.T) {
	for text, want := range map[string]string{
		".global .attribute x; .entry k { ret; }":                      `t.ptx:4: .attribute has no end; valid is ")"`,
		".global .attribute x; .entry k { ret; } )":                    `t.ptx:4: the end of the file in the declaration`,
		".entry k() { .pragma } .global .u32 x;":                       `t.ptx:4: the end of the file in function k`,
		".entry k() { .section } .entry o() { .section } .entry e() {": `t.ptx:4: ".entry" in a function`,
		".entry k() { bogus; .section } #":                             `t.ptx:4: character '#'`,
		".global .u32 x = 1.5, y = #;":                                 `t.ptx:4: character '#'`,
	} {
		_, err := Parse("t.ptx", []byte(head+text))
		assert.ErrorContains(t, err, want, text)
	}
}

func TestAFaultIsThatOfAllVariablesOfTheDeclaration(t *testing.T) {
	m, err := Parse("t.ptx", []byte(head+`.global .align 8 .u64 c, a[2] = {1, generic(c)}, x = c, y = 1.5, z[3];
		.entry ka() { .reg .u64 r; mov.u64 r, a; }
		.entry kx() { .reg .u64 r; mov.u64 r, x; }
		.entry ky() { .reg .u64 r; mov.u64 r, y; }
		.entry kz() { .reg .u64 r; mov.u64 r, z; }`))
	require.NoError(t, err)
	require.Len(t, m.Funcs, 4)
	for _, f := range m.Funcs {
		assert.ErrorContains(t, f.Fault, `t.ptx:4: initial value "1.5"`, f.Name)
	}
	assert.Empty(t, m.Vars)
}

func TestVariablesOfAFunctionWithAFaultAreNoneOfTheModule(t *testing.T) {
	m, err := Parse("t.ptx", []byte(head+`.entry k() { .global .u32 x; bogus; } .global .u32 y;
		.entry o() { .reg .u64 a; mov.u64 a, y; }`))
	require.NoError(t, err)
	require.Len(t, m.Vars, 1)
	assert.Equal(t, "y", m.Vars[0].Name)
	assert.NoError(t, m.Funcs[1].Fault)
}

func TestCallersOfAFunctionWithAFaultHaveIt(t *testing.T) {
	m, err := Parse("t.ptx", []byte(head+".func f() { bogus; } .entry k() { call f; }"))
	require.NoError(t, err)
	assert.Equal(t, m.Funcs[0].Fault, m.Funcs[1].Fault)
}

func TestADefinitionMustBeAsDeclared(t *testing.T) {
	assert.ErrorContains(t, firstFault(head+".func f(.param .b32 a);\n.entry k() { .param .b32 x; call f, (x); }\n.func f() { ret; }"),
		`t.ptx:6: function "f" is not as line 4 declares it`)
}

// exampleOf has a module for each feature that is not modelled; features with several
// kinds of marks have two.
var exampleOf = map[string][]string{
	"tensor cores beyond":     {"tcgen05.wait::ld.sync.aligned;", "wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%f1}, %rd1, %rd2, %r1, 0, 1;", "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1}, {%r1};", "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r1, %r2}, [%r3];"},
	"stochastic rounding":     {"cvt.rs.f16x2.f32 %r1, %f1, %f2, %r2;", "fma.rn.oob.f16x2 %r1, %r2, %r3, %r4;"},
	"other operations on":     {"sub.u16x2 %r1, %r2, %r3;", "div.rn.f16 %rs1, %rs2, %rs3;", "cvt.rn.satfinite.e2m1x2.f32 %rs1, %f1, %f2;"},
	"numbers of 128 bits":     {".reg .b128 %q;", "atom.global.exch.b128 %q, [%rd1], %q;"},
	"surfaces":                {"sust.b.2d.b32.trap [gl, {%r1, %r2}], {%r3};"},
	"textures of other kinds": {"tex.acube.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tx, {%r1, %f6, %f7, %f8}];", "txq.width.b32 %r1, [tx];", "tld4.r.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tx, {%f5, %f6}];"},
	"bulk copies of other boxes": {"cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r1, %r2, %r3}], [%r2], {%rs1};",
		"tensormap.replace.tile.rank.global.b1024.b32 [%rd1], 1;"},
	"grids counted in clusters":   {"} .entry other() .reqnctapercluster 2, 1, 1 .blocksareclusters { ret;", "clusterlaunchcontrol.try_cancel.async.b128 [%r1], [%r2];"},
	"multicast objects":           {"multimem.ld_reduce.global.add.f32 %f1, [%rd1];"},
	"launches by kernels":         {"} .extern .func (.param .b32 r) cudaLaunchDeviceV2(.param .b64 n); .func f() { .reg .b32 a; call (a), cudaLaunchDeviceV2, (8);", "mov.u64 %rd1, k;"},
	"allocations on the stack":    {"alloca.u64 %rd1, %rd2, 8;"},
	"video instructions":          {"vabsdiff4.u32.u32.u32.add %r1, %r2, %r3, %r4;", "vmad.s32.s32.u32 %r1, %r2.b0, %r3, %r4;"},
	"performance counters and wh": {"mov.u32 %r1, %pm0;", "mov.b32 %r1, %envreg3;"},
}

func TestErrorsNameTheFeatureThatIsMissing(t *testing.T) {
	require.Len(t, exampleOf, len(Features()))
	for start, examples := range exampleOf {
		for _, text := range examples {
			err := firstFault(string(kernelText(text)))
			assert.ErrorContains(t, err, ": "+start, text)
			assert.ErrorContains(t, err, " are not modelled; docs/your-own-kernels.md lists what else is not", text)
		}
	}
	for _, f := range Features() {
		found := false
		for start := range exampleOf {
			found = found || strings.HasPrefix(f.Name, start)
		}
		assert.True(t, found, f.Name)
	}
}

// operationsOfPTX are the operations of the PTX ISA 8.7, chapter 9.7.
const operationsOfPTX = `add sub mul mad mul24 mad24 sad div rem abs neg min max popc clz bfind fns brev bfe bfi szext bmsk dp4a dp2a
	addc subc madc testp copysign fma rcp sqrt rsqrt sin cos lg2 ex2 tanh set setp selp slct and or xor not cnot lop3 shf shl shr
	mov shfl prmt ld ldu st multimem prefetch prefetchu applypriority discard createpolicy isspacep cvta cvt mapa getctarank cp
	cp.async.bulk cp.reduce.async.bulk st.async st.bulk red.async tensormap.replace tex tld4 txq istypep suld sust sured suq
	bra brx call ret exit bar barrier barrier.cluster membar fence atom red vote match activemask redux griddepcontrol elect
	mbarrier.init wmma mma ldmatrix stmatrix movmatrix wgmma.mma_async tcgen05.alloc stacksave stackrestore alloca
	vadd vsub vabsdiff vmin vmax vshl vshr vmad vset vadd2 vsub2 vavrg2 vabsdiff2 vmin2 vmax2 vset2 vadd4 vsub4 vavrg4 vabsdiff4 vmin4
	vmax4 vset4 brkpt nanosleep pmevent trap setmaxnreg clusterlaunchcontrol.try_cancel`

func TestEveryOperationOfPTXRunsOrIsOfAFeature(t *testing.T) {
	for op := range strings.FieldsSeq(operationsOfPTX) {
		name, mods, _ := strings.Cut(op, ".")
		runs := op == "bra" || op == "brx" || op == "call"
		for _, f := range patterns[name] {
			runs = runs || f.begins(strings.Split(mods, "."))
		}
		assert.True(t, runs != (featureOf(op) != ""), op)
	}
}

// begins reports whether a form takes some modifiers as its first ones, if there are any.
func (p *pattern) begins(mods []string) bool {
	if mods[0] == "" {
		return true
	}
	for _, s := range p.slots {
		switch {
		case len(mods) == 0:
			return true
		case slices.Contains(s.any, mods[0]):
			mods = mods[1:]
		case !s.optional:
			return false
		}
	}
	return len(mods) == 0
}
