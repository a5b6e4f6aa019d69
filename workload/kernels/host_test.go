package kernels

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/workload/ptx/exec"
)

func TestBFSRunsOnAnRMATGraphToo(t *testing.T) {
	text, err := embedded.ReadFile("manifests/bfs.yaml")
	require.NoError(t, err)
	code, err := embedded.ReadFile("ptx/bfs.ptx")
	require.NoError(t, err)
	changed := strings.Replace(string(text), "road: {seed: 1, width: width, height: height}", "rmat: {seed: 1, scale: 12}", 1)
	require.NotEqual(t, string(text), changed)
	m, err := parse("bfs.yaml", []byte(changed), func(string) ([]byte, error) { return code, nil })
	require.NoError(t, err)
	before, after := runManifest(t, m)
	// The widest frontiers overflow the queue of a TB.
	assert.Equal(t, searched(before), ints(after, "level"))
}

func TestRepetitionWithoutLaunchesEnds(t *testing.T) {
	m, err := Load(write(t, strings.Replace(valid, "steps:\n", "steps:\n  - repeat: {while: 1, steps: [{let: {name: x, value: 1}}]}\n", 1)))
	require.NoError(t, err)
	i, err := m.New("tiny", "", exec.NewMemory())
	require.NoError(t, err)
	_, err = nextLaunch(i)
	require.Error(t, err)
	assert.Equal(t, "mine.yaml:12: steps[0].repeat makes 1000000 turns without a launch; it should end before", base(err))
}

func TestEmptyGridsAreSkippedAndTheProgramEnds(t *testing.T) {
	m, err := Load(write(t, strings.Replace(valid, "{times: 2,", "{times: 3, index: k,", 1)))
	require.NoError(t, err)
	m.Steps[0].Repeat.Steps[0].Launch.Grid[0] = *expr(t, "k % 2")
	i, err := m.New("tiny", "", exec.NewMemory())
	require.NoError(t, err)
	l, err := nextLaunch(i)
	require.NoError(t, err)
	assert.NotNil(t, l)
	for range 2 {
		l, err = nextLaunch(i)
		require.NoError(t, err)
		assert.Nil(t, l)
	}
}

// look reads two texels: of a texture reference and of an object.
const look = `.version 4.2
.target sm_52
.address_size 64
.global .texref picture;
.visible .entry look(.param .u64 out, .param .u64 object)
{
	.reg .b32 %r<11>;
	.reg .b64 %rd<4>;
	ld.param.u64 %rd1, [out];
	cvta.to.global.u64 %rd1, %rd1;
	ld.param.u64 %rd2, [object];
	mov.u32 %r1, 2;
	mov.u32 %r2, 1;
	tex.2d.v4.u32.s32 {%r3, %r4, %r5, %r6}, [picture, {%r1, %r2}];
	tex.1d.v4.u32.s32 {%r7, %r8, %r9, %r10}, [%rd2, {%r1}];
	st.global.u32 [%rd1], %r3;
	st.global.u32 [%rd1+4], %r7;
	ret;
}
`

const lookManifest = `name: look
ptx: look.ptx
arrays:
  - {name: a, type: u32, length: 12, formula: 10 + i}
  - {name: b, type: u32, length: 4, formula: 100 + i}
  - {name: out, type: u32, length: 2}
textures:
  - {name: picture, array: a, width: 4, height: 3}
  - {name: line, array: b, width: 4}
kernels: [{name: look, block: [1]}]
steps:
  - launch: {kernel: look, grid: [1], args: [out, line]}
`

func TestTexturesAreBoundToReferencesAndObjects(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "look.yaml")
	require.NoError(t, os.WriteFile(filepath.Join(folder, "look.ptx"), []byte(look), 0o600))
	require.NoError(t, os.WriteFile(file, []byte(lookManifest), 0o600))
	m, err := Load(file)
	require.NoError(t, err)
	_, after := runManifest(t, m)
	assert.Equal(t, []int{10 + 1*4 + 2, 102}, ints(after, "out"))

	moved := strings.NewReplacer("array: a, width: 4, height: 3", "array: a, offset: 4, width: 4, height: 2", "array: b, width: 4", "array: b, offset: 1, width: 3").Replace(lookManifest)
	require.NoError(t, os.WriteFile(file, []byte(moved), 0o600))
	m, err = Load(file)
	require.NoError(t, err)
	_, after = runManifest(t, m)
	assert.Equal(t, []int{10 + 2*4 + 2, 103}, ints(after, "out"))

	for _, fault := range []struct{ old, new, want string }{
		{"width: 4, height: 3", "width: 4, height: 3, offset: 1", "look.yaml:8: textures[0] has 4 by 3 texels, and a 11; make it smaller"},
		{"width: 4}", "width: 4, offset: -1}", `look.yaml:9: textures[1].offset "-1" is -1; valid: whole numbers from 0 to 4`},
		{"width: 4}", "width: 4, filter: cubic}", `look.yaml:9: textures[1].filter is "cubic"; valid: point, linear`},
		{"width: 4}", "width: 4, filter: linear}", "look.yaml:9: textures[1].filter is linear for texels of type u32; valid: for f32, u8, s8, u16, s16"},
		{"width: 4, height: 3", "width: 4, height: 4", "look.yaml:8: textures[0] has 4 by 4 texels, and a 12; make it smaller"},
		{"array: b", "array: c", `look.yaml:9: textures[1].array is "c"; valid: an array of elements of up to 32 bits`},
		{"width: 4}", "width: 4, mode: wrap}", "look.yaml:9: textures[1].mode is wrap without normalized; valid: wrap with normalized: true, or another mode"},
		{"width: 4}", "width: 4, mode: mirror}", "look.yaml:9: textures[1].mode is mirror without normalized; valid: mirror with normalized: true, or another mode"},
		{"width: 4}", "width: 4, channels: 3}", "look.yaml:9: textures[1].channels is 3; valid: 1, 2 or 4"},
	} {
		require.NoError(t, os.WriteFile(file, []byte(strings.Replace(lookManifest, fault.old, fault.new, 1)), 0o600))
		m, err := Load(file)
		if err == nil {
			var i *Instance
			i, err = m.New("tiny", "", exec.NewMemory())
			require.NoError(t, err)
			_, err = nextLaunch(i)
		}
		require.Error(t, err, fault.new)
		assert.Equal(t, fault.want, strings.TrimPrefix(err.Error(), folder+string(filepath.Separator)))
	}
}
