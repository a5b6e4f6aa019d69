package exec

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/workload"
	"cotenant/workload/ptx"
	"cotenant/workload/ptx/smallfloat"
)

// bulkKernel is a kernel of one thread that has an mbarrier and 32 KB of shared memory at tile, waits for bytes
// after the first text, and then executes the second.
func bulkKernel(parameters, first string, bytes int, second string) string {
	return `.visible .entry k(.param .u64 in, .param .u64 out` + parameters + `)
{
	.shared .align 1024 .b8 tile[32768]; .shared .align 8 .b64 bar;
	.reg .b64 %in, %out, %map; .reg .b32 %at, %r<6>; .reg .pred %p;
	ld.param.u64 %in, [in]; ld.param.u64 %out, [out];
	mov.u32 %at, tile;
	mbarrier.init.shared.b64 [bar], 1;
	` + fmt.Sprintf("mbarrier.arrive.expect_tx.shared.b64 _, [bar], %d;\n", bytes) + first + `
again:
	mbarrier.try_wait.parity.shared.b64 %p, [bar], 0;
	@!%p bra again;
	` + second + `
	ret;
}
`
}

// launched runs a kernel of one thread, of two arrays and more parameters.
func launched(t *testing.T, text string, in, out []byte, more func(in, out uint64) []byte) error {
	t.Helper()
	p, m := compileText(t, text)
	mem := NewMemory()
	mem.Load(m)
	from, to := mem.Alloc(len(in), 0), mem.Alloc(len(out), 0)
	source, err := mem.Bytes(from, len(in))
	require.NoError(t, err)
	copy(source, in)
	target, err := mem.Bytes(to, len(out))
	require.NoError(t, err)
	copy(target, out)
	list := params(from, to)
	if more != nil {
		for len(list)%64 != 0 {
			list = append(list, 0)
		}
		list = append(list, more(from, to)...)
	}
	one := workload.Dim3{X: 1, Y: 1, Z: 1}
	err = Run(p, &LaunchConfig{Grid: one, Block: one, Mem: mem, Params: list})
	copy(out, target)
	return err
}

func randomBytes(n int, seed uint64) []byte {
	rng := rand.New(rand.NewPCG(seed, 0))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return b
}

func TestBulkCopiesThereAndBack(t *testing.T) {
	in, out := randomBytes(1024, 1), randomBytes(1024, 2)
	before := append([]byte(nil), out...)
	require.NoError(t, launched(t, bulkKernel("", `
	cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%at+16], [%in+32], 512, [bar];
	cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%at+1024], [%at+16], 64, [bar];`, 576, `
	fence.proxy.async.shared::cta;
	cp.async.bulk.global.shared::cta.bulk_group [%out], [%at+16], 256;
	cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%out+512], [%at+1024], 64;
	cp.reduce.async.bulk.global.shared::cta.bulk_group.max.s64 [%out+640], [%at+1024], 64;
	cp.async.bulk.commit_group;
	cp.async.bulk.wait_group.read 0;`), in, out, nil))
	require.Equal(t, in[32:288], out[:256])
	require.Equal(t, before[256:512], out[256:512])
	for at := 0; at < 64; at += 4 {
		require.Equal(t, uint32(get(before[512+at:], 4)+get(in[32+at:], 4)), uint32(get(out[512+at:], 4)))
	}
	for at := 0; at < 64; at += 8 {
		require.Equal(t, max(int64(get(before[640+at:], 8)), int64(get(in[32+at:], 8))), int64(get(out[640+at:], 8)))
	}
	for text, want := range map[string]string{
		"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%at], [%in], 24, [bar];":                       "24 bytes; valid are multiples of 16",
		"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%at+8], [%in], 16, [bar];":                     "address 0x8 in .shared is not a multiple of 16 bytes",
		"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%at], [%in+1008], 32, [bar];":                  "is not in any array; 15 bytes behind the array of 1024 bytes",
		"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%at], [%in], 16, [bar], 3;": "thread blocks 0x3 of the cluster; valid are masks of 1 to 0x1, as it has 1 thread block",
		"cp.async.bulk.global.shared::cta.bulk_group [%out+16], [%at+32768], 16;":                                          "is past the end",
	} {
		require.ErrorContains(t, launched(t, bulkKernel("", text, 0, ""), in, out, nil), want, text)
	}
}

// lineOf is where the formula of NVIDIA's tensor maps puts the byte at an offset of a box, written as the
// exclusive or of the number of a line of 16 bytes in its row of 128 and the number of the row.
func lineOf(s Swizzle, offset int) int {
	row, line := offset/128, offset/16%8
	switch s {
	case Swizzle128:
		line ^= row % 8
	case Swizzle64:
		line ^= row % 4
	case Swizzle32:
		line ^= row % 2
	}
	return row*128 + line*16 + offset%16
}

// Boxes of all ranks and swizzles, partly outside the array, come as element for element computed here, and
// go back to where they are from.
func TestBoxesOfTensorMaps(t *testing.T) {
	for _, c := range []struct {
		m      TensorMap
		corner []int
	}{
		{TensorMap{Type: ptx.F32, Dims: []int{100}, Box: []int{32}}, []int{80}},
		{TensorMap{Type: ptx.F16, Dims: []int{96, 40}, Box: []int{64, 24}, Strides: []int{208}, Swizzle: Swizzle128}, []int{-3, 30}},
		{TensorMap{Type: ptx.F16, Dims: []int{96, 40}, Box: []int{32, 24}, Strides: []int{208}, Swizzle: Swizzle64}, []int{70, 2}},
		{TensorMap{Type: ptx.U8, Dims: []int{64, 40}, Box: []int{32, 33}, Strides: []int{64}, Swizzle: Swizzle32}, []int{32, -2}},
		{TensorMap{Type: ptx.F64, Dims: []int{10, 6, 4}, Box: []int{8, 3, 2}, Strides: []int{80, 480}}, []int{4, 4, 3}},
		{TensorMap{Type: ptx.U16, Dims: []int{16, 5, 4, 3}, Box: []int{8, 3, 2, 2}, Strides: []int{32, 160, 640}, Swizzle: Swizzle32}, []int{4, 1, -1, 2}},
		{TensorMap{Type: ptx.S32, Dims: []int{8, 3, 3, 3, 3}, Box: []int{4, 2, 2, 2, 2}, Strides: []int{32, 96, 288, 864}}, []int{2, 1, 1, 2, 2}},
		{TensorMap{Type: ptx.U32, Dims: []int{64, 10}, Box: []int{16, 8}, Strides: []int{256}, ElementStrides: []int{2, 3}}, []int{50, 1}},
	} {
		m, rank := c.m, len(c.m.Dims)
		for len(m.ElementStrides) < rank {
			m.ElementStrides = append(m.ElementStrides, 1)
		}
		size := 8
		for i := 1; i < rank; i++ {
			size = max(size, m.Strides[i-1]*m.Dims[i])
		}
		size = max(size, m.Dims[0]*m.Type.Size())
		in, out := randomBytes(size, uint64(rank)), randomBytes(size, 9)
		before := append([]byte(nil), out...)
		var coordinates []string
		for _, x := range c.corner {
			coordinates = append(coordinates, fmt.Sprint(x))
		}
		box := "{" + strings.Join(coordinates, ", ") + "}"
		bytes := m.bytes()
		whole := make([]byte, 8192)
		sharedOut := append(out, whole...)
		text := bulkKernel(", .param .align 64 .b8 load[128], .param .align 64 .b8 store[128]", fmt.Sprintf(`
	mov.b64 %%map, load; cvta.param.u64 %%map, %%map;
	prefetch.tensormap [%%map];
	cp.async.bulk.tensor.%dd.shared::cluster.global.mbarrier::complete_tx::bytes [%%at+1024], [%%map, %s], [bar];`, rank, box), bytes, fmt.Sprintf(`
	cp.async.bulk.global.shared::cta.bulk_group [%%out+%d], [%%at+1024], 8192;
	cp.async.bulk.tensor.%dd.global.shared::cta.tile.bulk_group [store, %s], [%%at+1024];`, len(out)/16*16+16, rank, box))
		sharedOut = append(sharedOut, make([]byte, 32)...)
		require.NoError(t, launched(t, text, in, sharedOut, func(in, out uint64) []byte {
			m.Addr = in
			require.NoError(t, m.Validate())
			load := m.Bytes()
			m.Addr = out
			return append(load, m.Bytes()...)
		}))
		image := sharedOut[len(out)/16*16+16:][:8192]
		// Element for element.
		element := m.Type.Size()
		index := make([]int, rank)
		moved := map[int]bool{}
		for offset := 0; offset < bytes; offset += element {
			at, inside := 0, true
			for d := range rank {
				x := c.corner[d] + index[d]*m.ElementStrides[d]
				inside = inside && x >= 0 && x < m.Dims[d]
				if d == 0 {
					at += x * element
				} else {
					at += x * m.Strides[d-1]
				}
			}
			want := make([]byte, element)
			if inside {
				copy(want, in[at:])
				require.Equal(t, want, sharedOut[at:at+element], "stored, %v at %v", m.Dims, index)
				for b := range element {
					moved[at+b] = true
				}
			}
			place := lineOf(m.Swizzle, offset)
			require.Equal(t, want, image[place:place+element], "loaded, %v at %v", m.Dims, index)
			for d := range rank {
				if index[d]++; index[d] < (m.Box[d]+m.ElementStrides[d]-1)/m.ElementStrides[d] {
					break
				}
				index[d] = 0
			}
		}
		for i := range before {
			if !moved[i] {
				require.Equal(t, before[i], sharedOut[i])
			}
		}
	}
}

func half16(v float64) uint64 { return smallfloat.F16.Round(v, smallfloat.ToNearest, false) }

func TestReductionsOfBoxes(t *testing.T) {
	in, out := make([]byte, 256), make([]byte, 256)
	for i := range 128 {
		put(in[2*i:], 2, half16(float64(i%7)))
		put(out[2*i:], 2, half16(float64(i%5)))
	}
	text := bulkKernel(", .param .align 64 .b8 map[128]", `
	cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%at], [%in], 256, [bar];`, 256, `
	cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.bulk_group [map, {0}], [%at];
	cp.reduce.async.bulk.tensor.1d.global.shared::cta.max.tile.bulk_group [map, {64}], [%at+128];`)
	m := TensorMap{Type: ptx.F16, Dims: []int{128}, Box: []int{64}, ElementStrides: []int{1}}
	require.NoError(t, launched(t, text, in, out, func(_, to uint64) []byte { m.Addr = to; return m.Bytes() }))
	for i := range 128 {
		want := float64(i%7 + i%5)
		if i >= 64 {
			want = max(float64(i%7), float64(i%5))
		}
		require.Equal(t, half16(want), get(out[2*i:], 2), i)
	}
	require.ErrorContains(t, launched(t, strings.Replace(text, ".max.tile", ".xor.tile", 1), in, out,
		func(_, to uint64) []byte { m.Addr = to; return m.Bytes() }), ".xor of elements of .f16; valid is an operation that they have")
	require.ErrorContains(t, launched(t, text, in, out, func(_, _ uint64) []byte { return make([]byte, 128) }), "there is no tensor map")
	require.ErrorContains(t, launched(t, strings.Replace(text, "tensor.1d.global.shared::cta.add.bulk_group [map, {0}]", "tensor.2d.global.shared::cta.add.bulk_group [map, {0, 0}]", 1),
		in, out, func(_, to uint64) []byte { m.Addr = to; return m.Bytes() }), "the tensor map has 1 dimensions and the instruction 2")
}

func TestTensorMapsThatNoGPUTakes(t *testing.T) {
	good := TensorMap{Type: ptx.F16, Dims: []int{64, 8}, Strides: []int{128}, Box: []int{64, 8}, ElementStrides: []int{1, 1}, Swizzle: Swizzle128}
	require.NoError(t, good.Validate())
	read, ok := tensorMapOf(good.Bytes())
	require.True(t, ok)
	require.Equal(t, good, read)
	for want, change := range map[string]func(m *TensorMap){
		"0 dimensions; valid are 1 to 5":                                           func(m *TensorMap) { m.Dims = nil },
		"elements are .b8; valid are u8 u16":                                       func(m *TensorMap) { m.Type = ptx.B8 },
		"address 0x8; valid are multiples of 16":                                   func(m *TensorMap) { m.Addr = 8 },
		"strides[0] is 100; valid are multiples of 16":                             func(m *TensorMap) { m.Strides = []int{100} },
		"box are 1; valid with 2 dimensions are 2":                                 func(m *TensorMap) { m.Box = []int{64} },
		"box[1] is 257; valid are multiples of 1 from 1 to 256":                    func(m *TensorMap) { m.Box = []int{64, 257} },
		"element_strides[0] is 9":                                                  func(m *TensorMap) { m.ElementStrides = []int{9, 1} },
		"a box is 200 bytes wide; valid are multiples of 16":                       func(m *TensorMap) { m.Box = []int{100, 8} },
		"a box is 128 bytes wide; valid with a swizzle of 64 bytes are up to that": func(m *TensorMap) { m.Swizzle = Swizzle64 },
	} {
		m := good
		change(&m)
		require.ErrorContains(t, m.Validate(), want)
	}
}
