package ptx

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func parseVars(t *testing.T, text string) []*Var {
	t.Helper()
	m, err := Parse("t.ptx", []byte(head+text))
	require.NoError(t, err, text)
	return m.Vars
}

func TestVariablesHaveSizeAlignmentAndContent(t *testing.T) {
	for text, want := range map[string]Var{
		".global .u32 x;":                                    {Space: Global, Type: U32, Align: 4, Bytes: 4},
		".visible .global .align 16 .b8 x[5];":               {Space: Global, Type: B8, Align: 16, Bytes: 5},
		".shared .f64 x[2][3];":                              {Space: Shared, Type: F64, Align: 8, Bytes: 48},
		".extern .shared .align 4 .b8 x[];":                  {Space: Shared, Type: B8, Align: 4},
		".weak .const .s16 x = -2;":                          {Space: Const, Type: S16, Align: 2, Bytes: 2, Init: []byte{0xfe, 0xff}},
		".global .f32 x = 0f3F800000;":                       {Space: Global, Type: F32, Align: 4, Bytes: 4, Init: []byte{0, 0, 0x80, 0x3f}},
		".global .f32 x[2] = {1.0};":                         {Space: Global, Type: F32, Align: 4, Bytes: 8, Init: []byte{0, 0, 0x80, 0x3f}},
		".global .f64 x = 0d3FF0000000000000;":               {Space: Global, Type: F64, Align: 8, Bytes: 8, Init: []byte{0, 0, 0, 0, 0, 0, 0xf0, 0x3f}},
		".global .b8 x[] = {1, 2, 3};":                       {Space: Global, Type: B8, Align: 1, Bytes: 3, Init: []byte{1, 2, 3}},
		".global .u8 x[2][2] = {{1}, {2, 3}};":               {Space: Global, Type: U8, Align: 1, Bytes: 4, Init: []byte{1, 0, 2, 3}},
		".global .u8 x[][2] = {{1}, {2}};":                   {Space: Global, Type: U8, Align: 1, Bytes: 4, Init: []byte{1, 0, 2}},
		".global .u8 x[2][2] = {1, 2, 3};":                   {Space: Global, Type: U8, Align: 1, Bytes: 4, Init: []byte{1, 2, 3}},
		".global .v2 .u8 x[2] = {{1, 2}, {3, 4}};":           {Space: Global, Type: U8, Align: 2, Bytes: 4, Init: []byte{1, 2, 3, 4}},
		".global .texref x;":                                 {Space: Global, Type: B64, Align: 8, Bytes: 8, Texture: true},
		".global .surfref x;":                                {Space: Global, Type: B64, Align: 8, Bytes: 8},
		".tex .u64 x;":                                       {Space: Global, Type: U64, Align: 8, Bytes: 8, Texture: true},
		".global .attribute(.managed) .u32 x;":               {Space: Global, Type: U32, Align: 4, Bytes: 4},
		".extern .global .u32 x; .visible .global .u32 x;":   {Space: Global, Type: U32, Align: 4, Bytes: 4},
		".visible .global .u32 x; .extern .global .u32 x;":   {Space: Global, Type: U32, Align: 4, Bytes: 4},
		".extern .shared .b8 x[]; .extern .shared .b8 x[]; ": {Space: Shared, Type: B8, Align: 1},
	} {
		vars := parseVars(t, text)
		if assert.Len(t, vars, 1, text) {
			want.Name, want.Line = "x", 4
			assert.Equal(t, want, *vars[0], text)
		}
	}
}

func TestInitialAddressesBecomeLinks(t *testing.T) {
	vars := parseVars(t, ".const .u32 c[4]; .global .u64 x[3] = {c, 5, generic(c)+8};")
	assert.Equal(t, []Link{{0, vars[0], 0, false}, {16, vars[0], 8, true}}, vars[1].Links)
	assert.Equal(t, byte(5), vars[1].Init[8])
	assert.Len(t, vars[1].Init, 24)
	self := parseVars(t, ".global .u64 x = x;")[0]
	assert.Same(t, self, self.Links[0].Var)
}

func TestSeveralVariablesShareADeclaration(t *testing.T) {
	vars := parseVars(t, ".global .u16 a, b[3], c = 7;")
	require.Len(t, vars, 3)
	assert.Equal(t, []int{2, 6, 2}, []int{vars[0].Bytes, vars[1].Bytes, vars[2].Bytes})
	assert.Equal(t, []byte{7, 0}, vars[2].Init)
}

func TestVariablesOfCompiledPrograms(t *testing.T) {
	m := readSample(t, "memory.ptx")
	byName := map[string]*Var{}
	for _, v := range m.Vars {
		byName[v.Name] = v
	}
	assert.Equal(t, []byte{7}, byName["counter"].Init[:1])
	assert.Equal(t, []Link{{0, byName["counter"], 0, true}}, byName["pointer"].Links)
	assert.Equal(t, 0, byName["dynamic"].Bytes)
	assert.Equal(t, 20, byName["weights"].Bytes)
}
