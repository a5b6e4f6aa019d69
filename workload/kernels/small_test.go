package kernels

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/workload/ptx/smallfloat"
)

func TestArraysOfSmallFloatsAreRoundedToNearestEven(t *testing.T) {
	table := map[string][]byte{
		// 1/3, a tie to even, a subnormal, more than the greatest.
		"type: f16, values: [1.0/3, 1 + 1.0/2048, 6e-8, 70000]": {0x55, 0x35, 0x00, 0x3c, 0x01, 0x00, 0x00, 0x7c},
		"type: bf16, length: 2, formula: -1.5 - i":              {0xc0, 0xbf, 0x20, 0xc0},
		"type: e4m3, values: [1, 0.1, 449, 1e9, -3.3, 0]":       {0x38, 0x1d, 0x7e, 0x7e, 0xc5, 0x00},
		"type: e5m2, values: [1, 57344, 70000, -0.1]":           {0x3c, 0x7b, 0x7c, 0xae},
		"type: f16, length: 3, fill: 0.1":                       {0x66, 0x2e, 0x66, 0x2e, 0x66, 0x2e},
	}
	for entry, want := range table {
		assert.Equal(t, want, generated(t, entry).Array("it").Bytes, entry)
	}
}

func TestSmallFloatsAreDrawn(t *testing.T) {
	for _, draw := range []string{"uniform: {seed: 1, low: -2, high: 2}", "normal: {seed: 1, deviation: 0.25}"} {
		whole := generated(t, "type: f64, length: 200, "+draw).Array("it")
		half := generated(t, "type: f16, length: 200, "+draw).Array("it")
		for k := range int64(200) {
			pattern := uint64(binary.LittleEndian.Uint16(half.at(k)))
			assert.Equal(t, smallfloat.F16.Round(whole.typ.get(whole.at(k)).f, smallfloat.ToNearest, false), pattern)
		}
	}
}

func TestSmallFloatsAreExpectedWithinATolerance(t *testing.T) {
	text := strings.Replace(doubling, "  - {name: n, type: u8, values: [1, 2, 255]}",
		"  - {name: h, type: f16, values: [1, 2, 0.1]}\n  - {name: e, type: e4m3, values: [0.1]}", 1)
	f, err := inspect(t, folderOf(t, map[string]string{"mine.ptx": double, "mine.yaml": text + `  - expect: {array: h, values: [1.001, 2, 0.1], relative: 0.001}
  - expect: {array: h, values: [1.001, 2, 0.1]}
  - expect: {array: e, fill: 0.12, absolute: 0.02}
  - expect: {array: e, fill: 0.12, absolute: 0.01}
  - dump: {array: h, file: h.raw}
`}))
	require.NoError(t, err)
	require.Len(t, f.differences, 4)
	assert.Empty(t, f.differences[0])
	assert.Contains(t, f.differences[1], "h[0] is 1, expected 1.001; 1 of 3 elements differ")
	assert.Empty(t, f.differences[2])
	assert.Contains(t, f.differences[3], "e[0] is 0.1")
	require.Len(t, f.files, 1)
	for _, data := range f.files {
		assert.Equal(t, "\x00\x3c\x00\x40\x66\x2e", data)
	}
}
