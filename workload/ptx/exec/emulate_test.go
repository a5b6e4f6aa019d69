package exec

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/workload"
	"cotenant/workload/ptx"
)

const preamble = ".version 7.8\n.target sm_70\n.address_size 64\n"

// compileText makes the kernel k of PTX text, which lacks its first lines.
func compileText(t testing.TB, text string) (*Program, *ptx.Module) {
	t.Helper()
	m, err := ptx.Parse("test.ptx", []byte(preamble+text))
	require.NoError(t, err)
	p, err := Compile(m, "k")
	require.NoError(t, err)
	return p, m
}

// params makes a parameter block of 64-bit values.
func params(values ...uint64) []byte {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	return b
}

// outputOf runs a kernel of threads threads in one thread block. Its only
// parameter is an array of words 32-bit numbers, which is returned.
func outputOf(t testing.TB, text string, threads, words int) []uint32 {
	t.Helper()
	out, err := tryOutput(t, text, LaunchConfig{Block: workload.Dim3{X: threads, Y: 1, Z: 1}}, words)
	require.NoError(t, err)
	return out
}

func tryOutput(t testing.TB, text string, cfg LaunchConfig, words int) ([]uint32, error) {
	t.Helper()
	p, m := compileText(t, text)
	if cfg.Mem == nil {
		cfg.Mem = NewMemory()
	}
	cfg.Mem.Load(m)
	addr := cfg.Mem.Alloc(4*words, 0)
	if cfg.Grid.X == 0 {
		cfg.Grid = workload.Dim3{X: 1, Y: 1, Z: 1}
	}
	cfg.Params = params(addr)
	err := Run(p, &cfg)
	data, e := cfg.Mem.Bytes(addr, 4*words)
	require.NoError(t, e)
	out := make([]uint32, words)
	for i := range out {
		out[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	return out, err
}

// kernel wraps a body that finds its output array in %out, the address of its
// thread's word in %mine and its thread number in %tid.
func kernel(body string) string {
	return `.visible .entry k(.param .u64 output)
{
	.reg .b64 %out, %mine, %x<20>;
	.reg .b32 %tid, %r<40>;
	.reg .b16 %h<10>;
	.reg .f32 %f<20>;
	.reg .f64 %d<20>;
	.reg .pred %p<20>;
	ld.param.u64 %out, [output];
	mov.u32 %tid, %tid.x;
	mad.wide.u32 %mine, %tid, 4, %out;
` + body + "\n\tret;\n}\n"
}

// instruction is a case that the tests run on all lanes of a warp: its text with
// d for the result and a, b, c, e for the operands, and their types.
type testInstruction struct {
	text string
	dst  string
	srcs []string
	// same says which different results are as good as the one expected.
	same func(got, want uint64) bool
	code *Program
	mem  *Memory
	in   uint64
	out  uint64
}

const unwritten = 0x5a5a5a5a5a5a5a5a

func newInstruction(t testing.TB, text, dst string, srcs ...string) *testInstruction {
	t.Helper()
	body := "\t.reg .b64 %in, %out, %lane;\n\t.reg .b32 %t, %active;\n\t.reg .pred %on;\n"
	load := ""
	for i, s := range append([]string{dst}, srcs...) {
		name := string("dabce"[i])
		body += fmt.Sprintf("\t.reg .%s %%%s;\n", s, name)
		if s == "pred" && i > 0 {
			load += fmt.Sprintf("\tld.global.u32 %%t, [%%in+%d];\n\tsetp.ne.u32 %%%s, %%t, 0;\n", 8*i, name)
			continue
		}
		if s == "pred" {
			continue
		}
		move := "b" + s[1:]
		if i == 0 {
			load += fmt.Sprintf("\tld.global.%s %%%s, [%%out];\n", move, name)
		} else {
			load += fmt.Sprintf("\tld.global.%s %%%s, [%%in+%d];\n", move, name, 8*i)
		}
	}
	for _, name := range "dabce" {
		text = strings.ReplaceAll(text, "$"+string(name), "%"+string(name))
	}
	store := fmt.Sprintf("\tst.global.b%s [%%out], %%d;\n", strings.TrimLeft(dst, "bfsu"))
	if dst == "pred" {
		load += "\tld.global.u32 %t, [%out];\n\tsetp.eq.u32 %d, %t, 1;\n"
		store = "\tselp.u32 %t, 1, 0, %d;\n\tst.global.u32 [%out], %t;\n"
	}
	code, _ := compileText(t, `.visible .entry k(.param .u64 input, .param .u64 output)
{
`+body+`
	ld.param.u64 %in, [input];
	ld.param.u64 %out, [output];
	mov.u32 %t, %tid.x;
	mad.wide.u32 %in, %t, 48, %in;
	mad.wide.u32 %out, %t, 8, %out;
	ld.global.u32 %active, [%in];
	setp.ne.u32 %on, %active, 0;
`+load+"\t@%on "+text+";\n"+store+"\tret;\n}\n")
	i := &testInstruction{text: text, dst: dst, srcs: srcs, code: code, mem: NewMemory()}
	i.in, i.out = i.mem.Alloc(48*32, 0), i.mem.Alloc(8*32, 0)
	return i
}

// run executes the instruction in the lanes of active. The rest keep the values
// from before.
func (n *testInstruction) run(t testing.TB, active uint32, operands *[32][]uint64) (results [32]uint64) {
	t.Helper()
	in, err := n.mem.Bytes(n.in, 48*32)
	require.NoError(t, err)
	out, err := n.mem.Bytes(n.out, 8*32)
	require.NoError(t, err)
	clear(in)
	for i, values := range operands {
		in[48*i] = byte(active >> i & 1)
		for k, v := range values {
			binary.LittleEndian.PutUint64(in[48*i+8+8*k:], v)
		}
		binary.LittleEndian.PutUint64(out[8*i:], unwritten)
		if n.dst == "pred" {
			binary.LittleEndian.PutUint64(out[8*i:], 0)
		}
	}
	one := workload.Dim3{X: 1, Y: 1, Z: 1}
	require.NoError(t, Run(n.code, &LaunchConfig{Grid: one, Block: workload.Dim3{X: 32, Y: 1, Z: 1}, Mem: n.mem,
		Params: params(n.in, n.out)}))
	for i := range results {
		results[i] = binary.LittleEndian.Uint64(out[8*i:])
	}
	return results
}

// width is the number of bits of a type.
func width(typ string) uint {
	switch typ[1:] {
	case "8":
		return 8
	case "16":
		return 16
	case "32":
		return 32
	case "64":
		return 64
	}
	return 1
}
