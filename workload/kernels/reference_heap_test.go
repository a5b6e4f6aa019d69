package kernels

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/workload/ptx/exec"
)

// chunkBytes are the sizes of chunks, as cuda/heap.h numbers them.
var chunkBytes = []int{16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072}

// chunk is an allocation that kernels hold.
type chunk struct {
	addr  uint64
	bytes int // of the chunk, not what was asked for
}

// checkHeap compares an instance's heap with the chunks that its kernels hold: they
// lie in slabs of their size, each at a multiple of it, and so apart; the bitmaps
// have their bits and no more, and the slabs' states count them.
func checkHeap(t *testing.T, i *Instance, live []chunk) {
	t.Helper()
	check := struct{ require.TestingT }{t} // without Helper, which takes most of the time of many checks
	tables, slabs := i.heap[0], i.heap[1]
	n := int(slabs.Bytes) >> slabShift
	words := make([]uint32, tables.Bytes/4)
	data, err := i.memory.Bytes(tables.Addr, int(tables.Bytes))
	require.NoError(t, err)
	for at := range words {
		words[at] = binary.LittleEndian.Uint32(data[4*at:])
	}
	states := words[2*len(chunkBytes):][:n]
	bitmaps := words[len(words)-n*bitmapBytes/4:]
	want := make([]uint32, len(bitmaps))
	counts := make([]uint32, n)
	for _, c := range live {
		require.GreaterOrEqual(check, c.addr, slabs.Addr)
		require.LessOrEqual(check, c.addr+uint64(c.bytes), slabs.End())
		offset := int(c.addr - slabs.Addr)
		slab, within := offset>>slabShift, offset%slabBytes
		require.Zero(check, within%c.bytes)
		require.LessOrEqual(check, within+c.bytes, slabBytes)
		require.Equal(check, slices.Index(chunkBytes, c.bytes)+1, int(states[slab]>>24), "the size that the slab serves")
		at := within / c.bytes
		word, bit := &want[slab*bitmapBytes/4+at/32], uint32(1)<<(at%32)
		require.Zero(check, *word&bit, "two live chunks at %#x", c.addr)
		*word |= bit
		counts[slab]++
	}
	require.True(check, slices.Equal(want, bitmaps), "bits of what is not held, or none of what is")
	for slab, state := range states {
		require.Equal(check, counts[slab], state&(1<<24-1), "slab %d", slab)
		if state != 0 {
			size := chunkBytes[state>>24-1]
			require.LessOrEqual(check, int(counts[slab]), slabBytes/size*835/1000, "busy at 83.5 %%")
		}
	}
}

// object reads memory that a kernel has allocated.
func object(t *testing.T, i *Instance, addr uint64, bytes int) []byte {
	t.Helper()
	data, err := i.memory.Bytes(addr, bytes)
	require.NoError(t, err)
	return data
}

func TestAddStringsConcatenatesEveryPair(t *testing.T) {
	m := builtinManifest(t, "add-strings")
	i, err := m.New("tiny", "", exec.NewMemory())
	require.NoError(t, err)
	for range 2 { // launches of alloc_strs
		l, err := nextLaunch(i)
		require.NoError(t, err)
		execute(t, l)
	}
	text := func(b []byte) string { return string(b[:slices.Index(b, 0)]) }
	var live []chunk
	var strings [2][]string
	for side, name := range []string{"left", "right"} {
		pointers := i.Array(name)
		for pair := range pointers.Length {
			addr := binary.LittleEndian.Uint64(pointers.Bytes[8*pair:])
			live = append(live, chunk{addr, 32})
			string := object(t, i, addr, 32)
			require.Equal(t, bytes.Repeat([]byte{[]byte("aA")[side] + byte(pair%26)}, 31), string[:31])
			require.Zero(t, string[31])
			// Shorter ones too, so that every way occurs in which words can be shifted.
			if pair < 1024 {
				string[[]int{pair % 32, pair / 32}[side]] = 0
			}
			strings[side] = append(strings[side], text(string))
		}
	}
	finish(t, i)
	sums := i.Array("sums").Bytes
	for pair := range i.Array("sums").Length {
		addr := binary.LittleEndian.Uint64(sums[8*pair:])
		live = append(live, chunk{addr, 64})
		require.Equal(t, uint64(64*(11*pair%65536)), (addr-i.heap[1].Addr)%slabBytes, "chunks of those that follow one another are 11 apart")
		want := strings[0][pair] + strings[1][pair]
		require.Equal(t, want, text(append(object(t, i, addr, 64), 0)), "pair %d", pair)
		require.LessOrEqual(t, len(want), 62)
		require.Zero(t, object(t, i, addr, 64)[len(want)], "its end")
	}
	require.Len(t, live, 3*4096)
	checkHeap(t, i, live)
}

// mixed is the hash of random-graph.cu.
func mixed(x uint32) uint32 {
	x = (x ^ x>>16) * 0x21f0aaad
	x = (x ^ x>>15) * 0x735a2d97
	return x ^ x>>15
}

func TestRandomGraphHasEveryEdgeInTheListOfItsVertex(t *testing.T) {
	before, i := run(t, "random-graph")
	states := words(before, "states")
	graph := i.Array("graph")
	n := graph.Length
	targets, wanted := make([]int, n), make([]int, n)
	degrees := make([]int, 9)
	var live []chunk
	for v := range n {
		next := func(n int) int {
			states[v] = mixed(states[v] + 0x9e3779b9)
			return int(states[v]&0xffffff) % n
		}
		degree := 1 + next(8)
		var want []int
		for range degree {
			want = append(want, next(n))
			wanted[want[len(want)-1]]++
		}
		slices.Reverse(want) // each is put before the rest
		vertex := graph.Bytes[16*v:]
		require.Equal(t, degree, int(binary.LittleEndian.Uint32(vertex[8:])))
		degrees[degree]++
		var got []int
		for at := binary.LittleEndian.Uint64(vertex); at != 0; {
			live = append(live, chunk{at, 16})
			edge := object(t, i, at, 16)
			target := int(binary.LittleEndian.Uint32(edge[8:]))
			got = append(got, target)
			targets[target]++
			require.Equal(t, v, int(binary.LittleEndian.Uint32(edge[12:])))
			at = binary.LittleEndian.Uint64(edge)
			require.LessOrEqual(t, len(got), degree)
		}
		require.Equal(t, want, got, "vertex %d", v)
	}
	require.Equal(t, wanted, targets, "edges to each vertex")
	for degree := 1; degree <= 8; degree++ {
		assert.InDelta(t, n/8, degrees[degree], 6*math.Sqrt(float64(n)/8), "vertices with %d edges", degree)
	}
	checkHeap(t, i, live)
}

func TestGridPointsHasEveryPointInItsCellOnce(t *testing.T) {
	for _, side := range []int{8, 32} {
		m, err := builtinManifest(t, "grid-points").Set("side:" + strconv.Itoa(side))
		require.NoError(t, err)
		_, i := runManifest(t, m)
		place, cells := floats(i, "place"), i.Array("cells").Bytes
		n := parameter(i, "points")
		want := make([][]int, side*side*side)
		along := func(x float64) int { return max(0, min(side-1, int(float32(x)*float32(side)))) }
		for p := range n {
			cell := (along(place[3*p+2])*side+along(place[3*p+1]))*side + along(place[3*p])
			want[cell] = append(want[cell], p)
		}
		var live []chunk
		for cell, points := range want {
			var got []int
			for at := binary.LittleEndian.Uint64(cells[8*cell:]); at != 0; {
				live = append(live, chunk{at, 16})
				element := object(t, i, at, 16)
				got = append(got, int(binary.LittleEndian.Uint32(element[8:])))
				require.Equal(t, cell, int(binary.LittleEndian.Uint32(element[12:])))
				p := got[len(got)-1]
				require.Equal(t, i.heap[1].Addr+uint64(16*((p/4*44+p%4)%262144)), at, "runs of 4 neighbours, 11 runs apart")
				require.LessOrEqual(t, len(got), len(points))
				at = binary.LittleEndian.Uint64(element)
			}
			slices.Sort(got)
			require.Equal(t, points, got, "cell %d", cell)
		}
		require.Len(t, live, n)
		require.Zero(t, words(i, "lost")[0])
		checkHeap(t, i, live)
	}
}

// A heap of one slab has room for 83.5 % of its chunks; what comes then gets null.
func TestKernelsGoOnWhenTheHeapIsFull(t *testing.T) {
	m, err := builtinManifest(t, "grid-points").Set("heap:8388608,points:220000")
	require.NoError(t, err)
	_, i := runManifest(t, m)
	require.EqualValues(t, slabBytes, i.heap[1].Bytes)
	held := slabBytes / 16 * 835 / 1000
	// A warp gets none if its 32 do not fit, and the last has fewer than 32.
	require.InDelta(t, 220000-held, words(i, "lost")[0], 32)
	var live []chunk
	for cell := range i.Array("cells").Length {
		for at := binary.LittleEndian.Uint64(i.Array("cells").Bytes[8*cell:]); at != 0; at = binary.LittleEndian.Uint64(object(t, i, at, 16)) {
			live = append(live, chunk{at, 16})
		}
	}
	require.Len(t, live, 220000-int(words(i, "lost")[0]))
	checkHeap(t, i, live)
}

func TestTheLoaderKnowsTheParametersOfTheAllocator(t *testing.T) {
	text, err := os.ReadFile("cuda/heap.h")
	require.NoError(t, err)
	for name, want := range map[string]int{"heap_mbytes": heapBytes >> 20, "slab_quarters": slabQuarters, "heap_classes": heapClasses,
		"slab_shift": slabShift} {
		found := regexp.MustCompile(`\b` + name + ` = (\d+),`).FindSubmatch(text)
		require.NotNil(t, found, name)
		require.Equal(t, strconv.Itoa(want), string(found[1]), name)
	}
	require.Len(t, chunkBytes, heapClasses)
	for _, size := range chunkBytes {
		chunks := slabBytes / size
		for _, step := range []int{11, 1009} { // else some chunks would never be tried
			require.NotZero(t, chunks%step, "%d bytes", size)
		}
	}
}
