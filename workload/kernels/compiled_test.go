package kernels

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A formula writes the same elements compiled and evaluated one by one, up to the first fault.
func TestCompiledFormulaWritesWhatItsEvaluationDoes(t *testing.T) {
	s32, _ := elementOf("s32")
	f32, _ := elementOf("f32")
	i := &Instance{numbers: map[string]value{"n": wholeOf(10), "h": realOf(0.5)}, arrays: map[string]*Data{
		"a": {Length: 3, Bytes: []byte{7, 0, 0, 0, 8, 0, 0, 0, 0xff, 0xff, 0xff, 0xff}, typ: s32},
		"f": {Length: 2, Bytes: []byte{0, 0, 0, 0x3f, 0, 0, 0x80, 0x3f}, typ: f32},
	}}
	const elements = 24
	for text, want := range map[string]int{ // elements that are compiled
		"i": elements, "i * n - 3": elements, "i / 7 % 3": elements, "i % 4 == 2": elements, "i < 5 || i > 9 && i != 11": elements, "!(i & 1)": elements,
		"select(i % 2 == 0, i, -i)": elements, "min(i, 7) + max(i, 9)": elements, "a[i % 3] + 1": elements, "f[i % 2] * 2 - h": elements,
		"sqrt(i) / 2": elements, "int(i * h)": elements, "ceildiv(i, 4)": elements, "i << 2 ^ 5": elements, "(i >= 3) + 0.25": elements,
		"i * h >= 2": elements, "pow(i, 2)": elements, "h && i": elements, "roundup(i, 8)": elements, "1.0 * i % 3": elements,
		"6 / (5 - i)": 5, "7 % (3 - i)": 3, "a[i]": 3, "9223372036854775807 - 4 + i": 5, "ceildiv(4 - i, 2)": 5, "1 << 60 + i": 3,
		"select(i < 3, 1, 0.5)": 0, "sum(j, i, j)": 0, "a + i": 0, "i & h": 0, "a[i * h]": 0, "missing[i]": 0, "i % unknown": 0,
	} {
		e := expr(t, text)
		require.NoError(t, e.fault, text)
		root := fold(e.root, i)
		for _, typ := range []elementType{f32, elementTypes[7]} {
			got := make([]byte, elements*typ.bytes)
			require.True(t, typ.real || typ.name == "s64")
			done := i.quick(&root, typ, got, 0)
			s := &bound{scope: i, variable: indexName}
			for k := range elements {
				s.value = wholeOf(int64(k))
				v, err := root.eval(s)
				element := make([]byte, typ.bytes)
				if err == nil {
					err = typ.put(element, v)
				}
				if k < done {
					require.NoError(t, err, "%s, element %d", text, k)
					require.Equal(t, element, got[k*typ.bytes:][:typ.bytes], "%s, element %d", text, k)
				}
				if k == done && want > 0 {
					require.Error(t, err, "%s, element %d of type %s", text, k, typ.name)
				}
			}
			if typ.real {
				assert.Equal(t, want, done, text)
			}
		}
	}
}
