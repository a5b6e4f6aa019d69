package cli

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/platform/wiring"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// pair is a netlist of two modules of a type and a module of another type.
func pair() []wiring.Node {
	type inner struct {
		Depth int  `yaml:"depth"`
		Fast  bool `yaml:"fast"`
	}
	type spec struct {
		Ways  int    `yaml:"ways"`
		Rule  string `yaml:"rule"`
		Sizes []int  `yaml:"sizes"`
		Inner inner  `yaml:"inner"`
	}
	type hubSpec struct {
		Inputs int `yaml:"-"`
	}
	type counters struct {
		WaitCycles uint64
		Tenants    [2]struct{ Flits uint64 }
	}
	return []wiring.Node{
		{Name: "GPU.Hub", Type: "Hub", Spec: hubSpec{2}, Stats: &counters{}, Ports: []wiring.PortInfo{
			{Name: "GPU.Hub.In[0]", Depth: 4, Peer: "GPU.Cache[0].Out"}, {Name: "GPU.Hub.In[1]", Depth: 4, Peer: "GPU.Cache[1].Out"}}},
		{Name: "GPU.Cache[0]", Type: "Cache", Spec: spec{4, "lru", []int{1, 2}, inner{8, true}}, Ports: []wiring.PortInfo{
			{Name: "GPU.Cache[0].Out", Depth: 1, Peer: "GPU.Hub.In[0]"}}},
		{Name: "GPU.Cache[1]", Type: "Cache", Spec: spec{4, "lru", []int{1, 2}, inner{9, true}}, Ports: []wiring.PortInfo{
			{Name: "GPU.Cache[1].Out", Depth: 1, Peer: "GPU.Hub.In[1]"}}},
	}
}

func TestNetlistOfAPair(t *testing.T) {
	for _, form := range netlistForms {
		var out bytes.Buffer
		require.NoError(t, form.write(&out, &wiring.Config{Name: "pair-1"}, pair()))
		golden(t, "pair."+form.name, out.String())
	}
}

// golden compares a text with a file of testdata.
func golden(t *testing.T, name, text string) {
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	assert.Equal(t, read(t, path), text)
}

// mixedGPU has SMs of two kinds, which share all but one parameter.
const mixedGPU = `extends: plain16
sm_kinds: {small: {threads: 512}}
sms: [{count: 1}, {count: 2, kind: small}]
address: {slices: 1, channels: 1}
`

// Each kind of SM is a module of its own. Of the listing the golden file has the
// GPU, of which the parameters of other blocks are no part.
func TestNetlistOfSMsOfTwoKinds(t *testing.T) {
	gpu := file(t, "mixed.yaml", mixedGPU)
	got := cotenant(t, "netlist", "--gpu", gpu)
	require.Equal(t, 0, got.status, got.stderr)
	modules, top, _ := strings.Cut(got.stdout, "module mixed;\n")
	golden(t, "mixed.sv", top)
	_, base, _ := strings.Cut(modules, "module SM_base #(")
	base, small, _ := strings.Cut(base, "module SM_small #(")
	assert.Contains(t, base, "  parameter threads = 2048,\n")
	assert.Contains(t, small, "  parameter threads = 512,\n")
	assert.NotContains(t, modules, "module SM #(")

	dot := cotenant(t, "netlist", "--format", "dot", "--gpu", gpu)
	require.Equal(t, 0, dot.status, dot.stderr)
	golden(t, "mixed.dot", dot.stdout)
}

func TestNetlistHasEveryModuleAndConnectsEveryPort(t *testing.T) {
	sv := cotenant(t, "netlist", "--gpu", "k20c", "--format", "sv")
	require.Equal(t, 0, sv.status, sv.stderr)
	assert.Equal(t, 13, strings.Count(sv.stdout, "\n  SM GPU_SM_"))
	assert.Equal(t, 12, strings.Count(sv.stdout, "\n  Slice GPU_L2_"))
	assert.Equal(t, 6, strings.Count(sv.stdout, "\n  Controller GPU_DRAM_"))
	assert.Equal(t, 5*13+3*12+2, strings.Count(sv.stdout, "\n  link link_"))
	assert.NotContains(t, sv.stdout, "()", "a port without a link")
	assert.Contains(t, sv.stdout, "  parameter shared_bytes = '{16384, 32768, 49152},\n")
	dot := cotenant(t, "netlist", "--gpu", "k20c", "--format", "dot")
	assert.Equal(t, 5*13+3*12+2, strings.Count(dot.stdout, " -- "))
	assert.Contains(t, dot.stdout, "graph k20c {\n")
}

func TestNetlistOfAFile(t *testing.T) {
	got := cotenant(t, "netlist", "--gpu", file(t, "my-gpu.yaml", smallGPU))
	require.Equal(t, 0, got.status, got.stderr)
	assert.Contains(t, got.stdout, "module my_gpu;\n")
	assert.Equal(t, 1, strings.Count(got.stdout, "\n  SM GPU_SM_"))
}
