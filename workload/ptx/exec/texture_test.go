package exec

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"cotenant/workload"
	"cotenant/workload/ptx"
)

// fetch reads a texture through a reference at one coordinate for each thread.
func fetch(t *testing.T, tex Texture, fill func(b []byte), text string, at ...uint32) []uint32 {
	t.Helper()
	mem := NewMemory()
	n := 4096
	tex.Addr = mem.Alloc(n, 0)
	b, err := mem.Bytes(tex.Addr, n)
	require.NoError(t, err)
	fill(b)
	coordinates := mem.Alloc(4*len(at), 0)
	for i, v := range at {
		c, err := mem.Bytes(coordinates+uint64(4*i), 4)
		require.NoError(t, err)
		binary.LittleEndian.PutUint32(c, v)
	}
	cfg := LaunchConfig{Block: workload.Dim3{X: len(at), Y: 1, Z: 1}, Mem: mem,
		Textures: map[string]Texture{"image": tex}, TextureObjects: []Texture{{Addr: tex.Addr, Width: 1, Height: 1, Channels: 1, Type: ptx.U8}, tex}}
	out, err := tryOutput(t, ".global .texref image;\n"+kernel(`
	mov.u64 %x1, `+hex(coordinates)+`;
	mad.wide.u32 %x1, %tid, 4, %x1;
	ld.global.u32 %r1, [%x1];
	ld.global.f32 %f1, [%x1];
	mov.f32 %f2, 0f3FC00000;
	mov.u64 %x4, 2;
`+text+`
	mad.wide.u32 %x2, %tid, 16, %out;
	st.global.v4.u32 [%x2], {%r3, %r4, %r5, %r6};`), cfg, 4*len(at))
	require.NoError(t, err)
	return out
}

func hex(v uint64) string {
	const digits = "0123456789abcdef"
	s := ""
	for ; v != 0; v >>= 4 {
		s = string(digits[v&15]) + s
	}
	return "0x" + s
}

func f32s(v ...float32) (u []uint32) {
	for _, f := range v {
		u = append(u, math.Float32bits(f))
	}
	return u
}

func TestTexturesReadTheTexelThatTheCoordinateMeans(t *testing.T) {
	numbers := func(b []byte) {
		for i := range len(b) / 4 {
			binary.LittleEndian.PutUint32(b[4*i:], uint32(i))
		}
	}
	octets := func(b []byte) {
		for i := range b {
			b[i] = byte(i)
		}
	}
	const (
		byIndex = "\ttex.1d.v4.s32.s32 {%r3, %r4, %r5, %r6}, [image, {%r1}];"
		inRow1  = "\ttex.2d.v4.s32.f32 {%r3, %r4, %r5, %r6}, [image, {%f1, %f2}];"
		object  = "\ttex.2d.v4.u32.f32 {%r3, %r4, %r5, %r6}, [%x4, {%f1, %f2}];"
		asFloat = "\ttex.1d.v4.f32.s32 {%f3, %f4, %f5, %f6}, [image, {%r1}];\n" +
			"\tmov.b32 %r3, %f3; mov.b32 %r4, %f4; mov.b32 %r5, %f5; mov.b32 %r6, %f6;"
	)
	line := Texture{Width: 10, Height: 1, Channels: 1, Type: ptx.S32}
	require.Equal(t, []uint32{9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, fetch(t, line, numbers, byIndex, 9, 10, 0xffffffff))

	image := Texture{Width: 8, Height: 4, Channels: 1, Type: ptx.U32}
	first := func(words []uint32) (f []uint32) {
		for i := 0; i < len(words); i += 4 {
			f = append(f, words[i])
		}
		return f
	}
	at := f32s(0, 0.99, 1, 7.5, 8, -0.1, 100)
	require.Equal(t, []uint32{8, 8, 9, 15, 15, 8, 15}, first(fetch(t, image, numbers, inRow1, at...)), "clamp")
	require.Equal(t, []uint32{8, 8, 9, 15, 15, 8, 15}, first(fetch(t, image, numbers, object, at...)), "by handle")
	image.Mode = Border
	require.Equal(t, []uint32{8, 8, 9, 15, 0, 0, 0}, first(fetch(t, image, numbers, inRow1, at...)), "border")
	image.Pitch = 128
	require.Equal(t, []uint32{32, 39}, first(fetch(t, image, numbers, inRow1, f32s(0, 7)...)), "pitch")
	image.Normalized, image.Mode, image.Pitch = true, Wrap, 0
	require.Equal(t, []uint32{16, 20, 16, 22}, first(fetch(t, image, numbers, inRow1, f32s(0, 0.5, 1, -0.25)...)), "row 1.5 wraps to 2")
	image.Mode = Mirror
	require.Equal(t, []uint32{16, 20, 23, 17, 23, 18}, first(fetch(t, image, numbers, inRow1, f32s(0, 0.5, 1, -0.125, 1.125, 2.25)...)), "and is mirrored to 2")

	colours := Texture{Width: 8, Height: 1, Channels: 4, Type: ptx.U8}
	require.Equal(t, f32s(4./255, 5./255, 6./255, 7./255), fetch(t, colours, octets, asFloat, 1))
	require.Equal(t, []uint32{4, 5, 6, 7}, fetch(t, colours, octets, byIndex, 1))
	colours.Type = ptx.S8
	require.Equal(t, f32s(-1, -126./127), fetch(t, colours, func(b []byte) { b[0], b[1] = 0x80, 0x82 }, asFloat, 0)[:2])
	colours.Channels, colours.Type = 2, ptx.F16
	require.Equal(t, f32s(1.5, -2, 0, 0), fetch(t, colours, func(b []byte) { copy(b, []byte{0, 0x3e, 0, 0xc0}) }, asFloat, 0))
}

func TestLinearFilterWeighsTheTexelsAround(t *testing.T) {
	tens := func(b []byte) { // texel i is 10 i
		for i := range len(b) / 4 {
			binary.LittleEndian.PutUint32(b[4*i:], math.Float32bits(10*float32(i)))
		}
	}
	const (
		store  = "\tmov.b32 %r3, %f3; mov.b32 %r4, %f4; mov.b32 %r5, %f5; mov.b32 %r6, %f6;"
		inLine = "\ttex.1d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [image, {%f1}];\n" + store
		object = "\ttex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%x4, {%f1, %f2}];\n" + store // y is 1.5
		number = "\ttex.1d.v4.f32.s32 {%f3, %f4, %f5, %f6}, [image, {%r1}];\n" + store
	)
	first := func(words []uint32) (f []float32) {
		for i := 0; i < len(words); i += 4 {
			f = append(f, math.Float32frombits(words[i]))
		}
		return f
	}
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	line := Texture{Width: 4, Height: 1, Channels: 1, Type: ptx.F32, Linear: true}
	at := f32s(0.5, 1, 1.5, 1.75, 2.501, 0, -5, 3.5, 3.75, 4, 100, inf, -inf, nan)
	require.Equal(t, []float32{0, 5, 10, 12.5, 20, 0, 0, 30, 30, 30, 30, 30, 0, 0}, first(fetch(t, line, tens, inLine, at...)), "clamp")
	line.Mode = Border
	require.Equal(t, []float32{0, 5, 10, 12.5, 20, 0, 0, 30, 22.5, 15, 0, 0, 0, 0}, first(fetch(t, line, tens, inLine, at...)), "border")
	line.Normalized, line.Mode = true, Wrap
	require.Equal(t, []float32{15, 0, 10, 15, 27.5}, first(fetch(t, line, tens, inLine, f32s(0, 0.125, 0.375, 1, -0.1875)...)), "wrap")
	require.Equal(t, []float32{20, 0}, first(fetch(t, line, tens, number, 2, 4)), "a texel by its number")
	line.Mode = Mirror
	require.Equal(t, []float32{0, 0, 10, 30, 30, 27.5, 2.5}, first(fetch(t, line, tens, inLine, f32s(0, 0.125, 0.375, 1, 1.0625, 1.1875, -0.1875)...)), "mirror")

	image := Texture{Width: 4, Height: 3, Channels: 1, Type: ptx.F32, Linear: true}
	require.Equal(t, []float32{40, 45, 70}, first(fetch(t, image, tens, object, f32s(0.5, 1, 9)...)), "row 1")
	image.Pitch = 8 // rows overlap: 20 for each row
	image.Width = 2
	require.Equal(t, []float32{25}, first(fetch(t, image, tens, object, f32s(1)...)))

	colours := Texture{Width: 2, Height: 1, Channels: 2, Type: ptx.U8, Linear: true}
	require.Equal(t, f32s(100./255, 50./255, 0, 0), fetch(t, colours, func(b []byte) { copy(b, []byte{0, 100, 200, 0}) }, inLine, f32s(1)...))
}

// The name of a texture reference is its handle, a value as any other: clang
// never puts the name itself into tex.
func TestHandlesOfTextureReferencesAreValues(t *testing.T) {
	out, err := tryOutput(t, `
.global .texref odd;
.global .texref even;
.global .u64 table[2] = {even, odd};
.func (.param .b64 r) same(.param .b64 x) { .reg .b64 %v; ld.param.u64 %v, [x]; st.param.u64 [r], %v; ret; }
`+kernel(`
	.param .b64 to;
	.param .b64 back;
	and.b32 %r1, %tid, 1;
	setp.eq.u32 %p1, %r1, 1;
	mov.u64 %x1, odd;
	mov.u64 %x2, even;
	selp.b64 %x3, %x1, %x2, %p1;
	st.param.u64 [to], %x3;
	call (back), same, (to);
	ld.param.u64 %x3, [back];
	tex.1d.v4.u32.s32 {%r1, _, _, _}, [%x3, {%tid}];
	st.global.u32 [%mine], %r1;
	and.b32 %r1, %tid, 1;
	mov.u64 %x4, table;
	mad.wide.u32 %x4, %r1, 8, %x4;
	ld.global.u64 %x3, [%x4];
	tex.1d.v4.u32.s32 {%r1, _, _, _}, [%x3, {%tid}];
	st.global.u32 [%mine+128], %r1;`), twoTextures(), 64)
	require.NoError(t, err)
	for i := range uint32(64) {
		require.Equal(t, 10*(i%32)+1000*(i%2), out[i], i)
	}
}

// twoTextures has the references even, with texels 0, 10, 20, ..., and odd, with
// texels 1000 more.
func twoTextures() LaunchConfig {
	cfg := LaunchConfig{Block: workload.Dim3{X: 32, Y: 1, Z: 1}, Mem: NewMemory(), Textures: map[string]Texture{}}
	for n, name := range []string{"even", "odd"} {
		addr := cfg.Mem.Alloc(128, 0)
		data, _ := cfg.Mem.Bytes(addr, 128)
		for i := range 32 {
			binary.LittleEndian.PutUint32(data[4*i:], uint32(10*i+1000*n))
		}
		cfg.Textures[name] = Texture{Addr: addr, Width: 32, Height: 1, Channels: 1, Type: ptx.U32}
	}
	return cfg
}

func TestHandlesOfTextureReferencesAreNoAddresses(t *testing.T) {
	const declared = ".global .texref even;\n.global .texref none;\n.global .u64 table[2] = {none, even};\n"
	_, err := tryOutput(t, declared+kernel("\tmov.u64 %x1, even; ld.global.u32 %r1, [%x1];"), twoTextures(), 1)
	require.ErrorContains(t, err, "not in any array")
	_, err = tryOutput(t, declared+kernel("\tmov.u64 %x1, none; tex.1d.v4.u32.s32 {%r1, _, _, _}, [%x1, {%tid}];"), twoTextures(), 1)
	require.ErrorContains(t, err, "texture reference none has no texture")
	_, err = tryOutput(t, declared+kernel("\tld.global.u64 %x1, [table]; tex.1d.v4.u32.s32 {%r1, _, _, _}, [%x1, {%tid}];"), twoTextures(), 1)
	require.ErrorContains(t, err, "texture reference none has no texture")
	m, err := ptx.Parse("t.ptx", []byte(preamble+declared+kernel("\tld.global.u32 %r1, [even];")))
	require.NoError(t, err)
	_, err = Compile(m, "k")
	require.ErrorContains(t, err, "t.ptx:18: ld.global.u32 cannot be run: even is a texture; valid is tex")
	mem := NewMemory()
	mem.Load(m)
	_, _, err = mem.Symbol(m, "even")
	require.ErrorContains(t, err, "no global or constant variable even")
}

func TestTexturesThatCannotBeAreErrors(t *testing.T) {
	p, m := compileText(t, ".global .texref image;\n"+kernel("\ttex.1d.v4.s32.s32 {%r3, %r4, %r5, %r6}, [image, {%tid}];\n"+
		"\ttex.1d.v4.s32.s32 {%r3, %r4, %r5, %r6}, [%out, {%tid}];"))
	mem := NewMemory()
	mem.Load(m)
	one := workload.Dim3{X: 1, Y: 1, Z: 1}
	tex := Texture{Addr: mem.Alloc(64, 0), Width: 16, Height: 1, Channels: 1, Type: ptx.S32}
	cfg := &LaunchConfig{Grid: one, Block: one, Mem: mem, Params: params(7)}
	require.ErrorContains(t, p.Bind(cfg), "texture reference image has no texture")
	filtered, m := compileText(t, ".global .texref image;\n"+kernel("\ttex.1d.v4.s32.f32 {%r3, %r4, %r5, %r6}, [image, {%f1}];"))
	smooth := tex
	smooth.Linear = true
	mem.Load(m)
	require.ErrorContains(t, Run(filtered, &LaunchConfig{Grid: one, Block: one, Mem: mem, Params: params(7), Textures: map[string]Texture{"image": smooth}}),
		"thread (0,0,0) of thread block (0,0,0): a result that is no .f32 of a texture with a linear filter; valid: .f32, or the filter point")
	cfg.Textures = map[string]Texture{"image": tex}
	require.ErrorContains(t, Run(p, cfg), "no texture object has the handle 7; valid are 1 to 0")
	for want, spoil := range map[string]func(x *Texture){
		"3 channels of type .s32":           func(x *Texture) { x.Channels = 3 },
		"1 channels of type .f64":           func(x *Texture) { x.Type = ptx.F64 },
		"17 by 1 texels with a pitch of 64": func(x *Texture) { x.Width, x.Pitch = 17, 64 },
		"valid with normalised coordinates": func(x *Texture) { x.Mode = Wrap },
		"past the end of the array of 64":   func(x *Texture) { x.Width = 17 },
		"not in any array":                  func(x *Texture) { x.Addr = 0 },
	} {
		bad := tex
		spoil(&bad)
		cfg.Textures = map[string]Texture{"image": bad}
		require.ErrorContains(t, p.Bind(cfg), want)
	}
}

// The sizes of tiles are GPGPU-Sim 3.2.2's for lines of 128 bytes (cuda-sim.cc).
func TestTilesHoldTheirTexelsInALine(t *testing.T) {
	for _, c := range []struct {
		channels   int
		of         ptx.Type
		wide, high int
	}{{1, ptx.U8, 16, 8}, {1, ptx.U16, 16, 4}, {1, ptx.F32, 8, 4}, {2, ptx.F32, 8, 2}, {4, ptx.F32, 4, 2}} {
		tex := Texture{Width: 64, Height: 64, Channels: c.channels, Type: c.of}
		mem := NewMemory()
		tex.Addr = mem.Alloc(64*64*16, 0)
		b, err := tex.bind(&LaunchConfig{Mem: mem, TextureLayout: workload.Tiles})
		require.NoError(t, err)
		require.Equal(t, []int{c.wide, c.high}, []int{b.wide, b.high})
		place := func(x, y int) uint64 { return b.place(x, y, -1) / tileBytes }
		require.Equal(t, place(16, 8), place(16+c.wide-1, 8+c.high-1))
		require.Equal(t, place(16, 8)+1, place(16+c.wide, 8))
		require.Equal(t, place(16, 8)+uint64(64/c.wide), place(16, 8+c.high))
	}
}

// A group of bytes is 64 bytes by 8 rows; its sectors of 16 bytes by 2 rows are numbered in two halves
// (Mesa, src/nouveau/nil/tiling.rs). The order of two sectors of a line changed with Turing, which no cache tells apart.
func TestArraysOfBlockLinearGPUsLieInGroupsOfBytes(t *testing.T) {
	mem := NewMemory()
	tex := Texture{Width: 128, Height: 16, Channels: 1, Type: ptx.U16, Array: true, Addr: mem.Alloc(128*16*2, 0)}
	b, err := tex.bind(&LaunchConfig{Mem: mem, TextureLayout: workload.BlockLinear})
	require.NoError(t, err)
	var lines, sectors [8][8]uint64 // of the third group, by 2 rows and 8 texels
	for y := range 8 {
		for x := range 32 {
			p := b.place(64+x, y, -1)
			lines[y/2][x/8], sectors[y/2][x/8] = p/128, p/32
			require.Equal(t, p/32, b.place(64+x&^7, y&^1, -1)/32)
		}
	}
	require.Equal(t, [][]uint64{{8, 8, 10, 10}, {8, 8, 10, 10}, {9, 9, 11, 11}, {9, 9, 11, 11}},
		[][]uint64{lines[0][:4], lines[1][:4], lines[2][:4], lines[3][:4]})
	require.Equal(t, [][]uint64{{32, 33, 40, 41}, {34, 35, 42, 43}, {36, 37, 44, 45}, {38, 39, 46, 47}},
		[][]uint64{sectors[0][:4], sectors[1][:4], sectors[2][:4], sectors[3][:4]})
	require.EqualValues(t, 4*512, b.place(0, 8, -1), "the next row of groups")

	tex.Array = false
	b, err = tex.bind(&LaunchConfig{Mem: mem, TextureLayout: workload.BlockLinear})
	require.NoError(t, err)
	require.EqualValues(t, 77, b.place(64, 3, 77), "memory that is no array")
}

func TestTexelsOfATiledTextureHaveAPlaceEach(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tex := Texture{Width: rapid.IntRange(1, 50).Draw(t, "width"), Height: rapid.IntRange(1, 20).Draw(t, "height"),
			Channels: rapid.SampledFrom([]int{1, 2, 4}).Draw(t, "channels"), Type: rapid.SampledFrom([]ptx.Type{ptx.U8, ptx.U16, ptx.F32}).Draw(t, "type"), Array: true}
		mem := NewMemory()
		tex.Addr = mem.Alloc(50*20*16, 0)
		layout := rapid.SampledFrom([]workload.TextureLayout{workload.Tiles, workload.BlockLinear}).Draw(t, "layout")
		b, err := tex.bind(&LaunchConfig{Mem: mem, TextureLayout: layout})
		require.NoError(t, err)
		taken := map[uint64]bool{}
		for y := range tex.Height {
			for x := range tex.Width {
				p := b.place(x, y, -1)
				require.Zero(t, p%uint64(b.texel))
				require.Less(t, p, uint64(len(b.data)))
				require.False(t, taken[p])
				taken[p] = true
			}
		}
	})
}

// The table of the CUDA C++ Programming Guide for cubemap textures.
func TestFacesOfACube(t *testing.T) {
	for _, c := range []struct {
		x, y, z float32
		face    uint64
		u, v    float32
	}{
		{4, 1, 2, 0, 0.25, 0.375}, {-4, 1, 2, 1, 0.75, 0.375}, {1, 4, 2, 2, 0.625, 0.75},
		{1, -4, 2, 3, 0.625, 0.25}, {1, 2, 4, 4, 0.625, 0.25}, {1, 2, -4, 5, 0.375, 0.25}, {1, 1, 1, 0, 0, 0},
	} {
		face, u, v := face(c.x, c.y, c.z)
		require.Equal(t, []any{c.face, c.u, c.v}, []any{face, u, v}, c)
	}
}
