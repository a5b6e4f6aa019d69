package presets

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/platform/blocks"
	"cotenant/workload"
)

// gate is a block that only has parameters.
type gate struct {
	Window int `yaml:"window"`
	Depth  int `yaml:"depth"`
}

func (g gate) Validate() error {
	if g.Depth < 1 {
		return fmt.Errorf("depth is %d, must be at least 1", g.Depth)
	}
	return nil
}

func init() {
	blocks.Register(blocks.Descriptor[gate]{Key: "gate", Joint: blocks.SliceToChannel, Default: gate{Window: 9, Depth: 1},
		Make: func(blocks.Place, gate) (blocks.Block, error) { return blocks.Block{}, errors.New("there is no gate") }})
}

func TestBlocksAreOnWhereTheyAreNamed(t *testing.T) {
	assert.Empty(t, preset(t, "gtx980").Blocks)
	assert.Equal(t, blocks.Set{"gate": &gate{9, 1}}, preset(t, "gtx980?blocks.gate={}").Blocks)
	assert.Equal(t, blocks.Set{"gate": &gate{9, 7}}, preset(t, "gtx980?blocks.gate.depth=7").Blocks)
	dir := folder(t, "gated.yaml", "extends: gtx980\nblocks:\n  gate: {depth: 7}\n", "open.yaml", "extends: gated.yaml\nblocks: {gate: off}\n",
		"slow.yaml", "extends: gated.yaml\nblocks: {gate: {window: 3}}\n", "bad.yaml", "extends: gtx980\nblocks:\n  gate:\n    depth: 0\n",
		"typo.yaml", "extends: gtx980\nblocks:\n  gait: {}\n")
	assert.Empty(t, preset(t, dir+"/open.yaml").Blocks)
	assert.Equal(t, blocks.Set{"gate": &gate{3, 7}}, preset(t, dir+"/slow.yaml").Blocks)
	assert.Equal(t, blocks.Set{"gate": &gate{9, 7}}, preset(t, dir+"/gated.yaml").Blocks)
	_, err := Load(dir + "/bad.yaml")
	assert.EqualError(t, err, dir+"/bad.yaml:4: blocks.gate.depth is 0, must be at least 1")
	_, err = Load(dir + "/typo.yaml")
	assert.EqualError(t, err, dir+`/typo.yaml:3: unknown key "gait" in blocks; valid keys: gate`)
}

func TestOptionsSetWhatAFileWouldThatExtendsTheGPU(t *testing.T) {
	file := folder(t, "gpu.yaml", "extends: k20c\nsms: 2\nsm: {shared_bytes: [1024, 2048], l1: {ways: 12}}\nhost: {pcie: {scheduler: npq}}\n") + "/gpu.yaml"
	want := preset(t, file)
	for ref, name := range map[string]string{
		"k20c?sms=2&sm.shared_bytes=[1024, 2048]&sm.l1.ways=12&host.pcie.scheduler=npq": "",
		file + "?sms=2":           "",
		file + "?sms=2&name=mine": "mine",
	} {
		c := preset(t, ref)
		if name == "" {
			name = ref
		}
		assert.Equal(t, name, c.Name)
		c.Name, c.About = want.Name, want.About
		assert.Equal(t, want, c, ref)
	}
}

func TestFaultsOfOptionsNameThem(t *testing.T) {
	const form = "; valid: KEY=VALUE, such as l2.ways=4, several joined by &"
	for ref, message := range map[string]string{
		"k20c?":                 `GPU "k20c?": invalid option ""` + form,
		"k20c?sms":              `GPU "k20c?sms": invalid option "sms"` + form,
		"k20c?=3":               `GPU "k20c?=3": invalid option "=3"` + form,
		"k20c?sms=2&sms=3":      `GPU "k20c?sms=2&sms=3": option sms is given twice; once is enough`,
		"k20c?address.slices=5": `GPU "k20c?address.slices=5": address.channels is 6, must be at least 1 and divide slices, which is 5`,
		"k20c?energies=GV100":   `GPU "k20c?energies=GV100": energies is "GV100"; valid: maxwell, gv100`,
		"k20c?sms=0":            `GPU "k20c?sms=0": sms is 0, must be 1 to 1024`,
		"k20c?sm.l1.mshrs=x":    `GPU "k20c?sm.l1.mshrs=x": sm.l1.mshrs is "x"; it takes a whole number`,
		"k20c?sm.l1.mshrs=[":    `GPU "k20c?sm.l1.mshrs=[": sm.l1.mshrs is [, which is not a value in YAML`,
		"k20c?sm..l1=3":         `GPU "k20c?sm..l1=3": unknown key "" in sm; valid keys: schedulers, scheduler, issue_width, issue_same_unit, group_slots, memory_issue, tbs, threads, registers, shared_bytes, unified_bytes, carveouts, front_end, issue_queue, tlb, faults, pipes, tensor, tma, lsu, l1, irc`,
		"k20c?extends=k20c":     `GPU "k20c?extends=k20c": unknown key "extends"; valid keys: sm_kinds, name, about, isa, texture_layout, register_unit, clocks, sms, gpcs, sm, driver, preeng, host, request_noc, reply_noc, address, topology, far_noc, l2, dram, mmu, pager, mig_profiles, mig, energies, blocks`,
	} {
		_, err := Load(ref)
		require.EqualError(t, err, message)
		var fault *workload.InputError
		assert.False(t, errors.As(err, &fault), "no file is at fault")
	}
}
