package kernels

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/tests/need"
	emulator "cotenant/workload/ptx/exec"
)

// stretch is how many turns of warps pass before other warps have theirs.
const stretch = 1000

// interleave runs a launch with all its thread blocks at once: a warp drawn at
// random has its next instructions, one to a few, again and again. For long
// stretches most warps have none, as if their thread blocks were preempted: no warp
// may wait for another.
func interleave(t *testing.T, l *Launch, random *rand.Rand) {
	t.Helper()
	require.NoError(t, l.Program.Bind(&l.Config))
	var warps []*emulator.Warp
	for id := range l.Config.Grid.Count() {
		warps = append(warps, l.Program.NewTB(&l.Config, id).Warps...)
	}
	for turn := 0; len(warps) > 0; turn++ {
		if turn%stretch == 0 {
			random.Shuffle(len(warps), func(a, b int) { warps[a], warps[b] = warps[b], warps[a] })
		}
		at := random.IntN((len(warps) + 3) / 4)
		for range 1 + random.IntN(4) {
			if _, ok := warps[at].Next(); !ok {
				warps[at] = warps[len(warps)-1]
				warps = warps[:len(warps)-1]
				break
			}
			if _, err := warps[at].Step(); err != nil { // an assertion for each would take most of the time
				require.NoError(t, err)
			}
		}
	}
}

// heldBy lists the chunks that the program rounds holds.
func heldBy(i *Instance) (live []chunk) {
	held, sizes := i.Array("held").Bytes, words(i, "sizes")
	for at, bytes := range sizes {
		addr := binary.LittleEndian.Uint64(held[8*at:])
		if addr == 0 {
			continue
		}
		for _, size := range chunkBytes {
			if size >= int(bytes) && size != 24 { // which is no multiple of 16
				live = append(live, chunk{addr, size})
				break
			}
		}
	}
	return live
}

func TestChunksAreAllocatedAndGivenBackInAnyOrderOfWarps(t *testing.T) {
	for _, c := range []struct {
		set  string
		none [2]bool // the heap is too small at times
	}{
		{"count:12", [2]bool{}},
		// Four slabs of the largest chunks, and then all of 16 bytes.
		{"least:2052,few:3072,most2:16", [2]bool{}},
		{"least:2052,few:3072,most2:16,heap:16777216", [2]bool{true, false}}, // three slabs
		// Two and one slabs of two sizes, then four of another: six, with a head of each
		// of the first two.
		{"least:1028,few:1536,most:2048,least2:2052,heap:33554432", [2]bool{}},
		{"heap:16777216", [2]bool{true, true}}, // three slabs, for fifteen sizes
	} {
		for seed := range uint64(3) {
			t.Run(fmt.Sprintf("%s-%d", c.set, seed), func(t *testing.T) {
				t.Parallel()
				m, err := Load("testdata/rounds.yaml")
				require.NoError(t, err)
				m, err = m.Set(c.set)
				require.NoError(t, err)
				i, err := m.New("tiny", "", emulator.NewMemory())
				require.NoError(t, err)
				random := rand.New(rand.NewPCG(seed, 0))
				for turn := range 4 {
					none := words(i, "none")[0]
					l, err := nextLaunch(i)
					require.NoError(t, err)
					interleave(t, l, random)
					require.Zero(t, words(i, "wrong")[0], "what was written is there still")
					live := heldBy(i)
					checkHeap(t, i, live)
					if turn%2 == 0 {
						require.Equal(t, c.none[turn/2], words(i, "none")[0] > none)
						require.Greater(t, len(live), 100)
					} else {
						require.Empty(t, live)
						requireSlabsGivenBack(t, i)
					}
				}
			})
		}
	}
}

// requireSlabsGivenBack checks that an empty heap keeps no slab for a size, except the
// slab from which the size's next chunk comes.
func requireSlabsGivenBack(t *testing.T, i *Instance) {
	t.Helper()
	tables := object(t, i, i.heap[0].Addr, int(i.heap[0].Bytes))
	for slab := range int(i.heap[1].Bytes) / slabBytes {
		if state := binary.LittleEndian.Uint32(tables[headerBytes+4*slab:]); state != 0 {
			head := binary.LittleEndian.Uint32(tables[4*(heapClasses+int(state>>24)-1):])
			require.Equal(t, slab+1, int(head), "the head of size %d", state>>24)
		}
	}
}

// kernelText is a kernel k that gives back what an address in memory[0] points to,
// and allocates bytes, or a kernel k of other PTX.
const kernelText = `
.extern .func (.param .b64 r) malloc (.param .b64 n);
.extern .func free (.param .b64 p);
.visible .entry k(.param .u64 memory, .param .u64 bytes) {
	.reg .b64 %x<4>;
	.param .b64 a;
	.param .b64 r;
	ld.param.u64 %x1, [memory];
	ld.global.u64 %x2, [%x1];
	st.param.b64 [a], %x2;
	call free, (a);
	ld.param.u64 %x2, [bytes];
	st.param.b64 [a], %x2;
	call (r), malloc, (a);
	ld.param.b64 %x2, [r];
	st.global.u64 [%x1], %x2;
	ret;
}`

const kernelManifest = `name: a
ptx: a.ptx
parameters: [{name: first, value: 0}, {name: bytes, value: 16}, {name: add, value: 0}, {name: heap, value: 8 << 20}]
heap: heap
arrays: [{name: memory, type: u64, values: [first]}]
kernels: [{name: k, block: [1]}]
steps:
  - launch: {kernel: k, grid: [1], args: [memory, bytes]}
  - set: {array: memory, index: 0, value: "memory[0] + add"}
  - launch: {kernel: k, grid: [1], args: [memory, 0]}
`

// allocated runs both launches, and returns what the first has allocated.
func allocated(t *testing.T, set string) (i *Instance, addr uint64, err error) {
	t.Helper()
	m, err := userManifest(t, kernelManifest, kernelText).Set(set)
	require.NoError(t, err)
	if i, err = m.New("tiny", "", emulator.NewMemory()); err != nil {
		return nil, 0, err
	}
	for range 2 {
		l, err := nextLaunch(i)
		require.NoError(t, err)
		require.NoError(t, l.Program.Bind(&l.Config))
		w := l.Program.NewTB(&l.Config, 0).Warps[0]
		for _, ok := w.Next(); ok; _, ok = w.Next() {
			if _, err := w.Step(); err != nil {
				return i, addr, err
			}
		}
		if addr == 0 {
			addr = binary.LittleEndian.Uint64(i.Array("memory").Bytes)
		}
	}
	return i, addr, nil
}

func TestMallocGivesTheSmallestChunkAtAMultipleOf16(t *testing.T) {
	for bytes, want := range map[int]int{1: 16, 16: 16, 17: 32, 24: 32, 25: 32, 33: 48, 48: 48, 49: 64, 65: 96, 1536: 1536, 1537: 2048,
		2049: 3072, 3072: 3072} {
		// Its slab serves the size while it is there.
		i, addr, err := allocated(t, fmt.Sprintf("bytes:%d", bytes))
		require.NoError(t, err)
		require.NotZero(t, addr)
		require.Zero(t, addr%16)
		tables := object(t, i, i.heap[0].Addr, int(i.heap[0].Bytes))
		require.Equal(t, want, chunkBytes[binary.LittleEndian.Uint32(tables[headerBytes:])>>24-1], "%d bytes", bytes)
		checkHeap(t, i, nil)
	}
}

func TestMallocGivesNullForNothingAndForMoreThanAChunk(t *testing.T) {
	for _, bytes := range []string{"0", "3073", "1 << 32", "-1"} {
		_, addr, err := allocated(t, "bytes:"+strings.ReplaceAll(bytes, "1 << 32", "4294967296"))
		require.NoError(t, err)
		require.Zero(t, addr, bytes)
	}
}

func TestFreeOfWhatIsNoChunkEndsTheKernel(t *testing.T) {
	for _, set := range []string{"add:8", "add:-8", "add:16", "add:4194304", "first:4096", "bytes:3072,add:16"} {
		_, _, err := allocated(t, set)
		require.ErrorContains(t, err, "built-in/ptx/heap.ptx:", set)
		require.ErrorContains(t, err, "trap", set)
	}
}

func TestFaultsOfAHeapNameTheLine(t *testing.T) {
	for _, c := range []struct{ old, new, text, want string }{
		{"8 << 20", "8388607", kernelText, `a.yaml:4: heap "heap" is 8388607; valid: whole numbers from 8388608 to 4294967296`},
		{"8 << 20", "5 << 30", kernelText, `a.yaml:4: heap "heap" is 5368709120; valid: whole numbers from 8388608 to 4294967296`},
		{"heap: heap", "heap: (", kernelText, `a.yaml:4: heap is "(", which ends where a number or a name should follow`},
		{"", "", ".visible .entry k(.param .u64 m, .param .u64 b) { ret; }",
			`a.yaml:4: heap is given, and no kernel of a.ptx allocates; valid: without it, or with kernels that call malloc or free, or have heap.h in them`},
		{"", "", ".const .u32 cotenant_heap; .visible .entry k(.param .u64 m, .param .u64 b) { ret; }",
			"a.yaml:2: ptx has a variable cotenant_heap of 4 bytes; valid: that of heap.h, or another name"},
		{"", "", ".extern .func (.param .b64 r) malloc (.param .b32 n);\n.visible .entry k(.param .u64 m, .param .u64 b) { .param .b32 a; .param .b64 r; call (r), malloc, (a); ret; }",
			`built-in/ptx/heap.ptx:22: function "malloc" is not as a.ptx:4 declares it; valid are parameters of the same sizes`},
	} {
		folder := t.TempDir()
		manifest := strings.Replace(kernelManifest, c.old, c.new, 1)
		require.NoError(t, os.WriteFile(filepath.Join(folder, "a.yaml"), []byte(manifest), 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(folder, "a.ptx"), []byte(".version 7.8\n.target sm_70\n.address_size 64\n"+c.text), 0o600))
		m, err := Load(filepath.Join(folder, "a.yaml"))
		if err == nil {
			_, err = m.New("tiny", "", emulator.NewMemory())
		}
		require.Error(t, err, c.want)
		require.Equal(t, c.want, strings.ReplaceAll(err.Error(), folder+"/", ""))
	}
}

func TestRoundsIsWhatItsSourceCompilesTo(t *testing.T) {
	compiler := need.Program(t, "clang-16", "clang++-16")
	fresh := filepath.Join(t.TempDir(), "fresh.ptx")
	command := exec.Command("../compile.sh", "--one", "rounds.cu", fresh)
	command.Dir, command.Env = "testdata", append(os.Environ(), "CLANG="+compiler)
	out, err := command.CombinedOutput()
	require.NoError(t, err, string(out))
	want, err := os.ReadFile(fresh)
	require.NoError(t, err)
	got, err := os.ReadFile("testdata/rounds.ptx")
	require.NoError(t, err)
	assert.True(t, string(want) == string(got), "testdata/rounds.ptx is stale; run compile.sh --one")
}
