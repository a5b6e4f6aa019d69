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

// unpack stores the members of a structure that it gets by value: a number, a
// double, the target of a pointer, and the two halves of an array of shorts.
const unpack = `.version 7.8
.target sm_70
.address_size 64
.visible .entry unpack(.param .align 8 .b8 s[32], .param .u64 out)
{
	.reg .b32 %r<9>;
	.reg .b64 %x<9>;
	.reg .f64 %d<3>;
	ld.param.u64 %x1, [out];
	ld.param.u32 %r1, [s];
	st.global.u32 [%x1], %r1;
	ld.param.f64 %d1, [s+8];
	cvt.rzi.s32.f64 %r2, %d1;
	st.global.u32 [%x1+4], %r2;
	ld.param.u64 %x2, [s+16];
	ld.global.u32 %r3, [%x2];
	st.global.u32 [%x1+8], %r3;
	ld.param.v2.u16 {%r4, %r5}, [s+24];
	st.global.u32 [%x1+12], %r4;
	st.global.u32 [%x1+16], %r5;
	ld.param.u8 %r6, [s+31];
	st.global.u32 [%x1+20], %r6;
	ret;
}
`

const unpacking = `name: mine
ptx: mine.ptx
parameters:
  - {name: n, value: 7}
arrays:
  - {name: a, type: u32, values: [1, 20, 300]}
  - {name: out, type: u32, length: 6}
kernels:
  - {name: unpack, block: [1]}
steps:
  - launch:
      kernel: unpack
      grid: [1]
      args:
        - fields:
            - {type: s32, value: n * 3}
            - {type: f64, value: 2.5 * n}
            - {type: u64, value: a + 2}
            - {type: u16, values: [n, n + 1]}
            - {type: u8, value: 9, at: 31}
        - out
`

func writeUnpack(t *testing.T, manifest string) string {
	t.Helper()
	folder := t.TempDir()
	for name, content := range map[string]string{"mine.yaml": manifest, "mine.ptx": unpack} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600))
	}
	return filepath.Join(folder, "mine.yaml")
}

func TestAStructureIsPassedByValue(t *testing.T) {
	m, err := Load(writeUnpack(t, unpacking))
	require.NoError(t, err)
	_, after := runManifest(t, m)
	assert.Equal(t, []int{21, 17, 300, 7, 8, 9}, ints(after, "out"))
}

func TestFaultOfAStructureNamesItsField(t *testing.T) {
	const launch = "steps[0].launch.args[0]"
	for _, c := range []struct{ old, new, want string }{
		{"s32, value: n * 3", "int, value: n * 3", `mine.yaml:16: ` + launch + `.fields[0].type is "int"; valid: u8, s8, u16, s16, u32, s32, u64, s64, f32, f64, f16, bf16, e4m3, e5m2`},
		{", value: n * 3", "", "mine.yaml:16: " + launch + ".fields[0] must have either value or values"},
		{"values: [n, n + 1]", "value: 1, values: [n]", "mine.yaml:19: " + launch + ".fields[3] must have either value or values"},
		{"n * 3", "n *", `mine.yaml:16: ` + launch + `.fields[0].value is "n *", which ends where a number or a name should follow`},
		{"at: 31", "at: 32", "mine.yaml:20: " + launch + ".fields[4] ends at byte 33 of a parameter of unpack, which has 32"},
		{"at: 31", "at: 33", "mine.yaml:20: " + launch + `.fields[4].at "33" is 33; valid: whole numbers from 0 to 32`},
		{"value: 9", "value: 900", "mine.yaml:20: " + launch + ".fields[4] is 900; valid: a whole number of type u8"},
		{"u64, value: a + 2", "u32, value: a", "mine.yaml:18: " + launch + ".fields[2] is an address; valid: a number of type u32"},
		{"            - {type: u16, values: [n, n + 1]}\n            - {type: u8, value: 9, at: 31}\n", "", "mine.yaml:15: " + launch + " ends at byte 24 of a parameter of unpack, which has 32; valid: fields to its end, zeros among them"},
		{"- fields:", "- field:", `mine.yaml:15: unknown key "field" in ` + launch + "; valid keys: fields"},
		{"        - out", "        - {fields: []}", "mine.yaml:21: steps[0].launch.args[1] is missing"},
		{"[1]\n      args:", "[1]\n      args: [5, out]\n      #", "mine.yaml:14: " + launch + " for parameter 1 of unpack: it is a structure of 32 bytes; valid: {fields: [{type: f32, value: 1}, ...]}"},
	} {
		text := strings.Replace(unpacking, c.old, c.new, 1)
		if strings.Contains(c.new, "#") {
			text = text[:strings.Index(text, "#")]
		}
		m, err := Load(writeUnpack(t, text))
		if err == nil {
			var i *Instance
			i, err = m.New("tiny", "", exec.NewMemory())
			require.NoError(t, err)
			_, err = nextLaunch(i)
		}
		if assert.Error(t, err, c.new) {
			assert.Contains(t, base(err), c.want, c.new)
		}
	}
}
