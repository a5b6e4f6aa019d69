package headers

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/tests/need"
	"cotenant/workload"
	"cotenant/workload/ptx"
	emulator "cotenant/workload/ptx/exec"
)

const folder = "../include"

// clang runs the compiler on a source of testdata with these headers, and returns what it writes.
func clang(t testing.TB, source string, options ...string) []byte {
	t.Helper()
	compiler := need.Program(t, "clang-16", "clang++-16")
	key := source + " " + strings.Join(options, " ")
	if text, ok := compiled[key]; ok {
		return text
	}
	out := filepath.Join(t.TempDir(), "out")
	args := append([]string{"-x", "cuda", "--cuda-gpu-arch=sm_70", "-nocudainc", "-nocudalib", "-O3", "-Wall", "-Wextra", "-Werror",
		"-I", folder, "-I", folder + "/samples", "-include", folder + "/cuda_runtime.h", "-o", out}, options...)
	output, err := exec.Command(compiler, append(args, source)...).CombinedOutput()
	require.NoError(t, err, "%s", output)
	text, err := os.ReadFile(out)
	require.NoError(t, err)
	compiled[key] = text
	return text
}

// compiled has what clang wrote, by source and options, for tests that share a source.
var compiled = map[string][]byte{}

// hostOptions compile the host's side of a source.
var hostOptions = []string{"--cuda-host-only", "-c", "-Xclang", "-target-sdk-version=11.0"}

// hostsCompile compiles the host's side of sources of testdata as one file, each in a namespace of
// its own with the headers of all before it. Device sides are compiled source by source.
func hostsCompile(t testing.TB, sources ...string) {
	t.Helper()
	var includes, parts strings.Builder
	for i, source := range sources {
		text, err := os.ReadFile(filepath.Join("testdata", source))
		require.NoError(t, err)
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, "#include") {
				includes.WriteString(line)
			}
		}
		fmt.Fprintf(&parts, "namespace part%d {\n#include \"%s\"\n}\n", i, source)
	}
	folder, err := filepath.Abs("testdata")
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "hosts.cu")
	require.NoError(t, os.WriteFile(file, []byte(includes.String()+parts.String()), 0o600))
	require.NotEmpty(t, clang(t, file, append([]string{"-I", folder, "-I", folder + "/samples"}, hostOptions...)...))
}

// program is a source's device side, ready to run.
type program struct {
	module *ptx.Module
	memory *emulator.Memory
}

func compile(t testing.TB, source string, options ...string) *program {
	t.Helper()
	text := clang(t, filepath.Join("testdata", source), append([]string{"--cuda-device-only", "-S"}, options...)...)
	module, err := ptx.Parse(source, text)
	require.NoError(t, err)
	for _, f := range module.Funcs {
		require.NoError(t, f.Fault)
	}
	p := &program{module, emulator.NewMemory()}
	p.memory.Load(module)
	return p
}

// array allocates memory of a number of bytes and fills its beginning.
func (p *program) array(t testing.TB, bytes int, data any) uint64 {
	t.Helper()
	at := p.memory.Alloc(bytes, 256)
	b, err := p.memory.Bytes(at, bytes)
	require.NoError(t, err)
	if data != nil {
		_, err = binary.Encode(b, binary.LittleEndian, data)
		require.NoError(t, err)
	}
	return at
}

// read reads an array as values of one type.
func read[T any](t testing.TB, p *program, at uint64, n int) []T {
	t.Helper()
	list := make([]T, n)
	b, err := p.memory.Bytes(at, binary.Size(list))
	require.NoError(t, err)
	_, err = binary.Decode(b, binary.LittleEndian, list)
	require.NoError(t, err)
	return list
}

// run launches a kernel on a grid of one dimension. Arguments are of 4 or 8 bytes each.
func (p *program) run(t testing.TB, kernel string, blocks, threads int, arguments ...any) {
	t.Helper()
	p.launch(t, kernel, emulator.LaunchConfig{Grid: workload.Dim3{X: blocks, Y: 1, Z: 1}, Block: workload.Dim3{X: threads, Y: 1, Z: 1}}, arguments...)
}

func (p *program) launch(t testing.TB, kernel string, cfg emulator.LaunchConfig, arguments ...any) {
	t.Helper()
	code, err := emulator.Compile(p.module, kernel)
	require.NoError(t, err)
	cfg.Mem = p.memory
	for _, a := range arguments {
		if n := binary.Size(a); len(cfg.Params)%n != 0 {
			cfg.Params = append(cfg.Params, make([]byte, n-len(cfg.Params)%n)...)
		}
		cfg.Params, err = binary.Append(cfg.Params, binary.LittleEndian, a)
		require.NoError(t, err)
	}
	require.NoError(t, emulator.Run(code, &cfg))
}

// draws is a sequence of words (Numerical Recipes' linear congruential generator).
type draws uint32

func (d *draws) next() uint32 {
	*d = *d*1664525 + 1013904223
	return uint32(*d)>>16 | uint32(*d)<<16
}
