package kernels

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/workload/ptx/exec"
)

// move adds the second element of a particle's velocity to its mass, in
// struct { char kind; double mass; alignas(16) float velocity[3]; short id; },
// 32 bytes of which the fields lie at 0, 8, 16 and 28.
const move = `.version 7.8
.target sm_70
.address_size 64
.visible .entry move(.param .u64 p)
{
	.reg .b32 %r<4>;
	.reg .b64 %x<4>;
	.reg .f32 %f<4>;
	.reg .f64 %d<4>;
	ld.param.u64 %x1, [p];
	mov.u32 %r1, %tid.x;
	mad.wide.u32 %x1, %r1, 32, %x1;
	ld.global.f64 %d1, [%x1+8];
	ld.global.f32 %f1, [%x1+20];
	cvt.f64.f32 %d2, %f1;
	add.f64 %d1, %d1, %d2;
	st.global.f64 [%x1+8], %d1;
	ret;
}
`

const particles = `name: mine
ptx: mine.ptx
arrays:
  - name: p
    length: 3
    fields:
      - {name: kind, type: u8, values: [1, 2, 3]}
      - {name: mass, type: f64, fill: 0.5}
      - {name: velocity, type: f32, count: 3, align: 16, formula: i}
      - {name: id, type: s16, uniform: {seed: 1, low: 5, high: 6}}
  - {name: other, type: f64, length: 3}
kernels: [{name: move, block: [3]}]
steps:
  - launch: {kernel: move, grid: [1], args: [p]}
`

// particle is one as it lies in memory.
func particle(kind byte, mass float64, velocity float32, id uint16) string {
	b := append([]byte{kind}, make([]byte, 7)...)
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(mass))
	for k := range 3 {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(velocity+float32(k)))
	}
	b = binary.LittleEndian.AppendUint16(b, id)
	return string(b) + "\x00\x00"
}

func TestStructuresLieAsInC(t *testing.T) {
	m, err := Load(folderOf(t, map[string]string{"mine.yaml": particles, "mine.ptx": move}))
	require.NoError(t, err)
	before, after := runManifest(t, m)
	assert.Equal(t, particle(1, 0.5, 0, 5)+particle(2, 0.5, 3, 5)+particle(3, 0.5, 6, 5), string(before.Array("p").Bytes))
	assert.Equal(t, particle(1, 1.5, 0, 5)+particle(2, 4.5, 3, 5)+particle(3, 7.5, 6, 5), string(after.Array("p").Bytes))
	assert.Len(t, after.Arrays(), 2)
	assert.Equal(t, "fields: [{name: kind, type: u8}, {name: mass, type: f64}, {name: velocity, type: f32, count: 3, align: 16}, {name: id, type: s16}]", after.Arrays()[1].Type)
}

func TestFieldsAreArraysToSteps(t *testing.T) {
	for steps, expect := range map[string]string{
		"":                                    "array: p.mass, values: [1.5, 4.5, 7.5]",
		"fill: {array: p.kind, value: i + 7}": "array: p.kind, values: [7, 8, 9]",
		"fill: {array: p.velocity, value: 2, start: 2, count: 5}":               "array: p.velocity, values: [0, 1, 2, 2, 2, 2, 2, 7, 8]",
		`set: {array: p.velocity, index: 4, value: "p.mass[1] * 2"}`:            "array: p.velocity, start: 3, count: 3, values: [3, 9, 5]",
		"prefix_sum: {from: p.kind, to: p.id, inclusive: true}":                 "array: p.id, values: [1, 3, 6]",
		"copy: {from: p.mass, to: other}":                                       "array: other, values: [1.5, 4.5, 7.5]",
		"copy: {from: other, to: p.mass, to_start: 1, count: 2}":                "array: p.mass, values: [1.5, 0, 0]",
		"copy: {from: p, to: p, to_start: 1, count: 1}":                         "array: p.velocity, formula: 'i - 3 * (i >= 3 && i < 6)'",
		"let: {name: x, value: \"p.id[2]\"}":                                    "array: p.id, fill: x",
		"upload: [p]":                                                           "array: p, file: p.raw",
		"set: {array: p.velocity, index: 0, value: 0.0625}":                     "array: p, file: p.raw, absolute: 0.0625",
		"launch: {kernel: move, grid: [1], block: [1], args: [p + 1]}":          "array: p.mass, values: [1.5, 8.5, 7.5]",
		"launch: {kernel: move, grid: [1], block: [1], args: [\"p.kind + 1\"]}": "array: p.mass, values: [1.5, 8.5, 7.5]",
	} {
		if steps != "" {
			steps = "  - " + steps + "\n"
		}
		f, err := inspect(t, folderOf(t, map[string]string{"mine.ptx": move, "mine.yaml": particles + steps + "  - expect: {" + expect + "}\n",
			"p.raw": particle(1, 1.5, 0, 5) + particle(2, 4.5, 3, 5) + particle(3, 7.5, 6, 5)}))
		require.NoError(t, err, steps)
		assert.Equal(t, []string{""}, f.differences, steps)
	}
}

func TestStructuresAreReadFromFilesAndDumpedToThem(t *testing.T) {
	raw := particle(9, 2, 4, 6) + particle(8, 3, 0, 7)
	text := strings.NewReplacer("length: 3\n    fields", "file: p.raw\n    fields", ", values: [1, 2, 3]", "", ", fill: 0.5", "", ", formula: i", "", ", uniform: {seed: 1, low: 5, high: 6}", "",
		"block: [3]", "block: [2]").Replace(particles)
	f, err := inspect(t, folderOf(t, map[string]string{"mine.ptx": move, "p.raw": raw,
		"mine.yaml": text + "  - dump: {array: p, file: q.raw}\n  - dump: {array: p.mass, file: mass.raw}\n  - expect: {array: p, file: p.raw}\n  - expect: {array: p, start: 1, file: one.raw}\n",
		"one.raw":   particle(8, 4, 2, 7)}))
	require.NoError(t, err)
	got := map[string]string{}
	for name, data := range f.files {
		got[filepath.Base(name)] = data
	}
	mass := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, math.Float64bits(7)), math.Float64bits(4))
	assert.Equal(t, map[string]string{"q.raw": particle(9, 7, 4, 6) + particle(8, 4, 0, 7), "mass.raw": string(mass)}, got)
	require.Len(t, f.differences, 2)
	assert.Contains(t, f.differences[0], "expect failed: p.mass[0] is 7, expected 2; 2 of 2 elements differ")
	assert.Contains(t, f.differences[1], "expect failed: p.velocity[3] is 0, expected 2; 3 of 3 elements differ")
}

func TestSwappedStructuresTakeTheirFieldsAlong(t *testing.T) {
	text := strings.Replace(particles, "  - {name: other", "  - {name: q, length: 3, fields: [{name: kind, type: u8}, {name: mass, type: f64}, {name: velocity, type: f32, count: 3, align: 16}, {name: id, type: s16}]}\n  - {name: other", 1)
	f, err := inspect(t, folderOf(t, map[string]string{"mine.ptx": move, "mine.yaml": text + "  - swap: [p, q]\n  - expect: {array: q.mass, values: [1.5, 4.5, 7.5]}\n  - expect: {array: p.mass, fill: 0}\n"}))
	require.NoError(t, err)
	assert.Equal(t, []string{"", ""}, f.differences)
}

func TestFaultsOfStructuresNameTheLine(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"name: mass, type: f64", "name: kind, type: f64", `mine.yaml:8: arrays[0].fields[1].name is "kind", the name of an earlier field; valid: a name of its own`},
		{"name: mass, type: f64", "name: mass, type: double", `mine.yaml:8: arrays[0].fields[1].type is "double"; valid: u8, s8, u16, s16, u32, s32, u64, s64, f32, f64, f16, bf16, e4m3, e5m2`},
		{"count: 3", "count: 0", "mine.yaml:9: arrays[0].fields[2].count is 0; valid: 1 to 1000"},
		{"align: 16", "align: 12", "mine.yaml:9: arrays[0].fields[2].align is 12; valid: powers of two from 4 to 256"},
		{"fill: 0.5", "fill: 0.5, formula: i", "mine.yaml:8: arrays[0].fields[1] has 2 sources of its contents; valid: one, or none for zeros"},
		{"length: 3\n    fields", "file: p.raw\n    fields", "mine.yaml:7: arrays[0].fields[0] has a source of its contents, and so has the array; valid: one of them"},
		{"length: 3\n    fields", "length: 3\n    fill: 3\n    fields", "mine.yaml:4: arrays[0] has a source of its contents beside fields; valid: file, or those of the fields"},
		{"length: 3\n    fields", "length: 3\n    type: f32\n    fields", `mine.yaml:6: arrays[0].type is "f32" beside fields; valid: either`},
		{"    length: 3\n    fields", "    fields", "mine.yaml:4: arrays[0].length is missing; give the number of elements"},
		{"values: [1, 2, 3]", "values: [1, 2]", "mine.yaml:7: arrays[0].fields[0].values has 2 entries; valid: 3, the elements that they are for"},
		{"values: [1, 2, 3]", "file: p.raw", "mine.yaml:7: arrays[0].fields[0].file names p.raw of 5 bytes; valid: 3, the 3 elements of 1 bytes of the field"},
		{"fill: 0.5", "uniform: {low: 2, high: 1}", `mine.yaml:8: arrays[0].fields[1].uniform.high "1" is 1; valid: 2 to 1e+18`},
		{"values: [1, 2, 3]", "values: [1, 2, 300]", "mine.yaml:7: arrays[0].fields[0].values of element 2 is 300; valid: a whole number of type u8"},
		{"steps:\n", "steps:\n  - fill: {array: p, value: 0}\n", `mine.yaml:14: steps[0].fill.array is "p", whose elements are structures; valid: p.kind, p.mass, p.velocity, p.id`},
		{"steps:\n", "steps:\n  - let: {name: x, value: \"p[0]\"}\n", `mine.yaml:14: steps[0].let.value "p[0]" reads p, whose elements are structures; valid: p.kind, p.mass, p.velocity, p.id`},
		{"steps:\n", "steps:\n  - upload: [p.mass]\n", `mine.yaml:14: steps[0].upload[0] is "p.mass", no array: a field of structures; valid: the array of the structures`},
		{"steps:\n", "steps:\n  - swap: [p.mass, other]\n", "mine.yaml:14: steps[0].swap is p.mass and other; valid: two arrays of one type"},
		{"steps:\n", "steps:\n  - copy: {from: p, to: other}\n", "mine.yaml:14: steps[0].copy is from p to other; valid: an array at one end, and elements of one size"},
		{"steps:\n", "steps:\n  - expect: {array: p, fill: 0}\n", "mine.yaml:14: steps[0].expect compares p, whose elements are structures; valid: with a file, or one of p.kind, p.mass, p.velocity, p.id"},
		{"steps:\n", "steps:\n  - expect: {array: p.none, fill: 0}\n", `mine.yaml:14: steps[0].expect.array is "p.none", no array; valid: other, p, p.id, p.kind, p.mass, p.velocity`},
	} {
		text := strings.Replace(particles, c.old, c.new, 1)
		require.NotEqual(t, particles, text, c.old)
		_, err := inspect(t, folderOf(t, map[string]string{"mine.ptx": move, "mine.yaml": text, "p.raw": "bytes"}))
		if assert.Error(t, err, c.new) {
			assert.Equal(t, c.want, base(err), c.new)
		}
	}
}

func TestFilesOfFieldsAndExpectsBelongToTheManifest(t *testing.T) {
	sum := func(text string) []byte { h := sha256.Sum256([]byte(text)); return h[:] }
	text := strings.Replace(particles, "values: [1, 2, 3]", "file: kind.raw", 1) + "  - expect: {array: p.kind, file: same.raw}\n  - dump: {array: p, file: p.raw}\n"
	file := folderOf(t, map[string]string{"mine.yaml": text, "mine.ptx": move, "kind.raw": "abc", "same.raw": "abd"})
	m, err := Load(file)
	require.NoError(t, err)
	list := m.Files()
	for i := range list {
		list[i] = filepath.Base(list[i])
	}
	assert.Equal(t, []string{"mine.yaml", "mine.ptx", "kind.raw", "same.raw"}, list)
	contents, err := m.Contents()
	require.NoError(t, err)
	assert.Equal(t, [][]byte{[]byte(text), []byte(move), sum("abc"), sum("abd")}, contents)
	f, err := inspect(t, file)
	require.NoError(t, err)
	assert.Contains(t, f.differences[0], "p.kind[2] is 99, expected 100; 1 of 3 elements differ")
}

func TestAnEmptyArrayOfStructuresIsNone(t *testing.T) {
	text := strings.NewReplacer("length: 3\n    fields", "length: 0\n    fields", ", values: [1, 2, 3]", "").Replace(particles)
	m, err := Load(folderOf(t, map[string]string{"mine.yaml": text, "mine.ptx": move}))
	require.NoError(t, err)
	i, err := m.New("tiny", "", exec.NewMemory())
	require.NoError(t, err)
	assert.Zero(t, i.Array("p.mass").Length)
}
