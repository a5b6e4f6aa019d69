package kernels

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// changing has arrays for steps that change them, and one launch.
const changing = `name: mine
ptx: mine.ptx
arrays:
  - {name: a, type: s32, values: [1, 2, 3, 4]}
  - {name: b, type: s32, length: 5}
  - {name: f, type: f32, values: [0.5, 0.25, 4]}
  - {name: x, type: f32, length: 8}
kernels: [{name: double, block: [8]}]
steps:
  - launch: {kernel: double, grid: [1], args: [x]}
`

func TestStepsChangeArraysAsTheHostDoes(t *testing.T) {
	for step, expect := range map[string]string{
		"fill: {array: a, value: 7}":                           "a, values: [7, 7, 7, 7]",
		"fill: {array: a, value: 7, start: 1}":                 "a, values: [1, 7, 7, 7]",
		"fill: {array: a, value: 7, start: 1, count: 2}":       "a, values: [1, 7, 7, 4]",
		"fill: {array: a, value: 7, start: 4}":                 "a, values: [1, 2, 3, 4]",
		`fill: {array: a, value: "10 * i + a[0]", start: 1}`:   "a, values: [1, 11, 21, 31]",
		`fill: {array: a, value: "a[3 - i]"}`:                  "a, values: [4, 3, 2, 1]",
		"set: {array: a, index: 2, value: 9}":                  "a, values: [1, 2, 9, 4]",
		`set: {array: f, index: "a[0]", value: "f[0] + a[1]"}`: "f, values: [0.5, 2.5, 4]",
		"prefix_sum: {from: a}":                                "a, values: [0, 1, 3, 6]",
		"prefix_sum: {from: a, inclusive: true}":               "a, values: [1, 3, 6, 10]",
		"prefix_sum: {from: a, to: b}":                         "b, values: [0, 1, 3, 6, 10]",
		"prefix_sum: {from: f, to: f}":                         "f, values: [0, 0.5, 0.75]",
		"repeat: {times: 2, steps: [{prefix_sum: {from: a}}]}": "a, values: [0, 0, 1, 4]",
	} {
		f, err := inspect(t, folderOf(t, map[string]string{"mine.ptx": double, "mine.yaml": changing + "  - " + step + "\n  - expect: {array: " + expect + "}\n"}))
		require.NoError(t, err, step)
		assert.Equal(t, []string{""}, f.differences, step)
	}
}

func TestFaultsOfStepsThatChangeArraysNameTheLine(t *testing.T) {
	for step, want := range map[string]string{
		"fill: {array: z, value: 7}":                     `fill.array is "z", no array; valid: a, b, f, x`,
		"fill: {array: a, value: 7, start: 5}":           `fill.start "5" is 5; valid: whole numbers from 0 to 4`,
		"fill: {array: a, value: 7, start: 1, count: 4}": `fill.count "4" is 4; valid: whole numbers from 0 to 3`,
		"fill: {array: a, value: i * 0.5}":               `fill.value of element 1 is 0.5; valid: a whole number of type s32`,
		"set: {array: a, index: 4, value: 9}":            `set.index "4" is 4; valid: whole numbers from 0 to 3`,
		"set: {array: a, index: 0, value: 0.5}":          "set.value is 0.5; valid: a whole number of type s32",
		"set: {array: a, index: 0}":                      "set.value is missing; give an expression, such as ceildiv(rows, 128)",
		"set: {array: z, index: 0, value: 1}":            `set.array is "z", no array; valid: a, b, f, x`,
		"prefix_sum: {to: a}":                            "prefix_sum.from is missing; give the name of an array",
		"prefix_sum: {from: z}":                          `prefix_sum.from is "z", no array; valid: a, b, f, x`,
		"prefix_sum: {from: a, to: z}":                   `prefix_sum.to is "z", no array; valid: a, b, f, x`,
		"prefix_sum: {from: a, to: f}":                   "prefix_sum.to has 3 elements, and a 4; valid: as many, or one more for the sum of all unless inclusive",
		"prefix_sum: {from: a, to: b, inclusive: true}":  "prefix_sum.to has 5 elements, and a 4; valid: as many, or one more for the sum of all unless inclusive",
		"prefix_sum: {from: b, to: b, inclusive: 3}":     `prefix_sum.inclusive is "3"; it takes true or false`,
		"repeat: {times: 2, steps: [{fill: {array: a, value: 2000000000}}, {prefix_sum: {from: a}}]}": "repeat.steps[1].prefix_sum of element 2 is 4000000000; valid: what fits into type s32",
	} {
		_, err := inspect(t, folderOf(t, map[string]string{"mine.ptx": double, "mine.yaml": changing + "  - " + step + "\n"}))
		if assert.Error(t, err, step) {
			assert.Equal(t, "mine.yaml:11: steps[1]."+want, base(err), step)
		}
	}
}
