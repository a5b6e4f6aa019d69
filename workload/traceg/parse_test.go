package traceg

import (
	"bufio"
	"strings"
	"testing"

	"cotenant/workload"

	"github.com/stretchr/testify/require"
)

// twoTBs is a whole kernel file; the comments in the table below name its lines.
const twoTBs = `-kernel name = k
-kernel id = 1
-grid dim = (2,1,1)
-block dim = (64,1,1)
-shmem = 0
-nregs = 8
-binary version = 80
-cuda stream id = 0
-shmem base_addr = 0x00007f0041000000
-local mem base_addr = 0x00007f003f000000
-nvbit version = 1.7
-accelsim tracer version = 5
-enable lineinfo = 0
#traces format = anything
#BEGIN_TB
thread block = 0,0,0
warp = 0
insts = 3
0000 ffffffff 1 R2 S2R 0 0 0 
0010 ffffffff 1 R4 LDG.E 1 R2 4 1 0x7f0200000000 4 0 
0020 ffffffff 0 EXIT 0 0 0 
warp = 1
insts = 1
0020 ffffffff 0 EXIT 0 0 0 
#END_TB
#BEGIN_TB
thread block = 1,0,0
warp = 1
insts = 1
0020 ffffffff 0 EXIT 0 0 0 
#END_TB
`

// edit replaces a line of twoTBs, counted from 1; with cut, it is the last.
func edit(line int, with string, cut bool) string {
	l := strings.SplitAfter(twoTBs, "\n")
	l[line-1] = with + "\n"
	if cut {
		l = l[:line]
	}
	return strings.Join(l, "")
}

func TestWarpsWithoutInstructionsMayBeMissing(t *testing.T) {
	for _, text := range []string{twoTBs, edit(29, "insts = 1", false), edit(30, "\n0020 ffffffff 0 EXIT 0 0 0\n\nwarp = 0\n\ninsts = 0\n", false)} {
		l, err := openText(text)
		require.NoError(t, err)
		var tb workload.TB
		require.NoError(t, l.Next(&tb))
		require.Len(t, drain(&tb), 4)
		require.NoError(t, l.Next(&tb))
		require.Len(t, tb.Warps, 2)
		require.False(t, tb.Warps[0].Fetch(new(workload.Inst)))
		require.True(t, tb.Warps[1].Fetch(new(workload.Inst)))
		require.NoError(t, l.Close())
	}
}

func TestLineEndsAndClusterLinesAreTolerated(t *testing.T) {
	want, err := readAll(twoTBs)
	require.NoError(t, err)
	for _, text := range []string{
		strings.ReplaceAll(twoTBs, "\n", "\r\n"),
		strings.TrimSuffix(twoTBs, "\n"),
		strings.ReplaceAll(twoTBs, " \n", "\n"),
		strings.ReplaceAll(twoTBs, "0020 ", "0x20  "),
		strings.ReplaceAll(twoTBs, "\nwarp = ", "\ncluster id = 0,0,0\ncluster rank = 0\n\nwarp = "),
		strings.ReplaceAll(twoTBs, "-nvbit", "-cluster dim = (1,1,1)\n-nvbit"),
	} {
		got, err := readAll(text)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}

func TestSourceLinesAreSkipped(t *testing.T) {
	text := edit(13, "-enable lineinfo = 1", false)
	for _, inst := range []string{"0000 ff", "0010 ff", "0020 ff"} {
		text = strings.ReplaceAll(text, "\n"+inst, "\n17 "+inst)
	}
	got, err := readAll(text)
	require.NoError(t, err)
	want, err := readAll(twoTBs)
	require.NoError(t, err)
	require.Equal(t, want, got)

	_, err = readAll(edit(13, "-enable lineinfo = 1", false))
	requireInputError(t, err, `k.traceg:19: malformed number of results "R2"; valid is 0 to 4`)
	_, err = readAll(strings.Replace(text, "\n17 0000", "\nx 0000", 1))
	requireInputError(t, err, `k.traceg:19: malformed source line "x"; valid is a decimal number`)
}

func TestFaultyTraceNamesTheLineAndWhatIsValid(t *testing.T) {
	for _, c := range []struct {
		line int
		with string
		want string
	}{
		// The header.
		{1, "", `k.traceg:14: the header ends without "-kernel name"; valid is a line like "-kernel name = _Z3addPf"`},
		{1, "-kernel name =", `k.traceg:1: kernel name is empty; valid is a name`},
		{2, "-kernel id", `k.traceg:2: malformed header line "-kernel id"; valid is "-key = value"`},
		{2, "-kernel id = one", `k.traceg:2: kernel id is "one"; valid is a number from 0 to 2147483647`},
		{3, "", `k.traceg:14: the header ends without "-grid dim"; valid is a line like "-grid dim = (196,1,1)"`},
		{3, "-grid dim = (2,1)", `k.traceg:3: grid dim is "(2,1)"; valid is (x,y,z), each at least 1 and x*y*z at most 67108864`},
		{3, "-grid dim = (2,0,1)", `k.traceg:3: grid dim is "(2,0,1)"; valid is (x,y,z), each at least 1 and x*y*z at most 67108864`},
		{3, "-grid dim = (2,-1,1)", `k.traceg:3: grid dim is "(2,-1,1)"; valid is (x,y,z), each at least 1 and x*y*z at most 67108864`},
		{3, "-grid dim = (2147483647,65535,65535)", `k.traceg:3: grid dim is "(2147483647,65535,65535)"; valid is (x,y,z), each at least 1 and x*y*z at most 67108864`},
		{4, "-block dim = (0,1,1)", `k.traceg:4: block dim is "(0,1,1)"; valid is (x,y,z), each at least 1 and x*y*z at most 1024`},
		{4, "-block dim = (1025,1,1)", `k.traceg:4: block dim is "(1025,1,1)"; valid is (x,y,z), each at least 1 and x*y*z at most 1024`},
		{4, "-block dim = (64,64,1)", `k.traceg:4: block dim is "(64,64,1)"; valid is (x,y,z), each at least 1 and x*y*z at most 1024`},
		{5, "-shmem = -1", `k.traceg:5: shmem is "-1"; valid is a number from 0 to 2147483647`},
		{6, "-nregs = 0", `k.traceg:6: nregs is "0"; valid is a number from 1 to 255`},
		{7, "-binary version = 20", `k.traceg:7: binary version is "20"; valid is the number of an architecture: 30, 32, 35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 88, 89, 90, 100, 101, 103, 110, 120, 121`},
		{7, "-binary version = 999", `k.traceg:7: binary version is "999"; valid is the number of an architecture: 30, 32, 35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 88, 89, 90, 100, 101, 103, 110, 120, 121`},
		{12, "-accelsim tracer version = 999", `k.traceg:12: accelsim tracer version is "999"; valid is a number from 3 to 6`},
		{8, "-cuda stream id = -1", `k.traceg:8: cuda stream id is "-1"; valid is a number from 0 to 9223372036854775807`},
		{9, "-shmem base_addr = here", `k.traceg:9: shmem base_addr is "here"; valid is a hexadecimal address`},
		{12, "-accelsim tracer version = 2", `k.traceg:12: accelsim tracer version is "2"; valid is a number from 3 to 6`},
		{12, "-accelsim tracer version = 7", `k.traceg:12: accelsim tracer version is "7"; valid is a number from 3 to 6`},
		{13, "-enable lineinfo = 2", `k.traceg:13: enable lineinfo is "2"; valid is a number from 0 to 1`},
		{13, "-nregs = 8", `k.traceg:13: second "-nregs" line; valid is one`},
		// The structure of thread blocks.
		{14, "0000 ffffffff 0 EXIT 0 0 0", `k.traceg:14: "0000 ffffffff 0 EXIT 0 0 0" is outside a thread block; valid is #BEGIN_TB`},
		{15, "", `k.traceg:16: "thread block = 0,0,0" is outside a thread block; valid is #BEGIN_TB`},
		{16, "", `k.traceg:17: "warp = 0" comes before the thread block's position; valid is "thread block = x,y,z"`},
		{16, "#END_TB", `k.traceg:16: thread block without position; valid is "thread block = x,y,z" after #BEGIN_TB`},
		{16, "thread block = 2,0,0", `k.traceg:16: thread block is "2,0,0"; valid is x,y,z inside the grid (2,1,1)`},
		{16, "thread block = 0,0", `k.traceg:16: thread block is "0,0"; valid is x,y,z inside the grid (2,1,1)`},
		{16, "thread block = 0,0,0\nthread block = 0,0,0", `k.traceg:17: second "thread block" line; valid is one after each #BEGIN_TB`},
		{27, "thread block = 0,0,0", `k.traceg:27: thread block "0,0,0" is in the trace twice; valid is once`},
		{17, "warp = 2", `k.traceg:17: warp is "2"; valid is 0 to 1 for a block of 64 threads`},
		{17, "warp = -1", `k.traceg:17: warp is "-1"; valid is 0 to 1 for a block of 64 threads`},
		{22, "warp = 0", `k.traceg:22: warp 0 is in the thread block twice; valid is once`},
		{18, "", `k.traceg:19: "0000 ffffffff 1 R2 S2R 0 0 0" follows "warp = 0"; valid is "insts = n"`},
		{18, "insts = many", `k.traceg:18: insts is "many"; valid is a number from 0 to 2147483647`},
		{18, "insts = -3", `k.traceg:18: insts is "-3"; valid is a number from 0 to 2147483647`},
		{18, "insts = 2", `k.traceg:21: instruction "0020 ffffffff 0 EXIT 0 0 0" is one more than the warp's "insts = n" says; valid are "warp = n" and #END_TB`},
		{18, "insts = 4", `k.traceg:22: warp 0 has 3 instructions where "insts = 4"; valid is as many`},
		{29, "insts = 2", `k.traceg:31: warp 1 has 1 instruction where "insts = 2"; valid is as many`},
		{25, "", `k.traceg:26: unknown line "#BEGIN_TB" in a thread block; valid are "warp = n" and #END_TB`},
		{31, "#END_TB\n#BEGIN_TB", `k.traceg:32: more than the 2 thread blocks of the grid (2,1,1); valid is the end of the file`},
		{31, "#END_TB\nend", `k.traceg:32: "end" is outside a thread block; valid is #BEGIN_TB`},
		// Instructions.
		{19, "000g ffffffff 1 R2 S2R 0 0 0", `k.traceg:19: malformed PC "000g"; valid is a hexadecimal number of at most 32 bits`},
		{19, "100000000 ffffffff 1 R2 S2R 0 0 0", `k.traceg:19: malformed PC "100000000"; valid is a hexadecimal number of at most 32 bits`},
		{19, "0000 fffffffff 1 R2 S2R 0 0 0", `k.traceg:19: malformed mask "fffffffff"; valid is a hexadecimal number of at most 32 bits`},
		{19, "0000 fffffffz 1 R2 S2R 0 0 0", `k.traceg:19: malformed mask "fffffffz"; valid is a hexadecimal number of at most 32 bits`},
		{24, "0020 fffffffz 0 EXIT 0 0 0", `k.traceg:24: malformed mask "fffffffz"; valid is a hexadecimal number of at most 32 bits`},
		{19, "0000", `k.traceg:19: the instruction ends before its mask; valid is a hexadecimal number of at most 32 bits`},
		{19, "0000 ffffffff 5 R2 S2R 0 0 0", `k.traceg:19: malformed number of results "5"; valid is 0 to 4`},
		{19, "0000 ffffffff 1 R256 S2R 0 0 0", `k.traceg:19: malformed register "R256" among 1 results; valid is R0 to R255`},
		{19, "0000 ffffffff 1 UR2 S2R 0 0 0", `k.traceg:19: malformed register "UR2" among 1 results; valid is R0 to R255`},
		{19, "0000 ffffffff 1 S2R 0 0 0", `k.traceg:19: malformed register "S2R" among 1 results; valid is R0 to R255`},
		{19, "0000 ffffffff 1 R2 0 0 0", `k.traceg:19: malformed opcode "0"; valid is a name in capitals, as LDG.E.64`},
		{19, "0000 ffffffff 0 R2 S2R 0 0 0", `k.traceg:19: malformed opcode "R2"; valid is a name in capitals, as LDG.E.64`},
		{19, "0000 ffffffff 1 R2 S\x1bR 0 0 0", `k.traceg:19: malformed opcode "S\x1bR"; valid is a name in capitals, as LDG.E.64`},
		{19, "0000 ffffffff 1 R2 S2R 7 0 0", `k.traceg:19: malformed number of sources "7"; valid is 0 to 6`},
		{19, "0000 ffffffff 1 R2 S2R 1 0 0", `k.traceg:19: malformed register "0" among 1 sources; valid is R0 to R255`},
		{19, "0000 ffffffff 1 R2 S2R 0", `k.traceg:19: the instruction ends before its memory width; valid is a decimal number`},
		{19, "0000 ffffffff 1 R2 S2R 0 0 0 0", `k.traceg:19: "0" is too much for this instruction; valid is the end of the line`},
		{19, "0000 ffffffff 1 R2 S2R 0 0 x", `k.traceg:19: malformed immediate "x"; valid is a decimal number`},
		{19, "0000 00000001 1 R2 LDG.E 1 R2 3 1 0x100 4", `k.traceg:19: malformed memory width "3"; valid is 1, 2, 4, 8, 16, 32, 64 or 128 bytes`},
		{19, "0000 00000001 1 R2 LDG.E 1 R2 256 1 0x100 4", `k.traceg:19: malformed memory width "256"; valid is 1, 2, 4, 8, 16, 32, 64 or 128 bytes`},
		{19, "0000 ffffffff 1 R2 LDG.E 1 R2 0 0", `k.traceg:19: LDG.E has memory width 0; valid is a width and addresses`},
		{20, "0010 ffffffff 1 R4 LDG.E 1 R2 4", `k.traceg:20: the instruction ends before its address mode; valid is 0 (list), 1 (base and stride) or 2 (base and deltas)`},
		{20, "0010 ffffffff 1 R4 LDG.E 1 R2 4 3 0x7f00 4 0", `k.traceg:20: malformed address mode "3"; valid is 0 (list), 1 (base and stride) or 2 (base and deltas)`},
		{20, "0010 ffffffff 1 R4 LDG.E 1 R2 4 1 0xx 4 0", `k.traceg:20: malformed base address "0xx"; valid is a hexadecimal number of at most 64 bits`},
		{20, "0010 ffffffff 1 R4 LDG.E 1 R2 4 1 0x10000000000000000 4 0", `k.traceg:20: malformed base address "0x10000000000000000"; valid is a hexadecimal number of at most 64 bits`},
		{20, "0010 ffffffff 1 R4 LDG.E 1 R2 4 1 0x7f00 four 0", `k.traceg:20: malformed stride "four"; valid is a signed decimal number`},
		{20, "0010 00000007 1 R4 LDG.E 1 R2 4 0 0x7f00 0x7f04", `k.traceg:20: the instruction ends before its address; valid is one hexadecimal number for each active lane`},
		{20, "0010 00000007 1 R4 LDG.E 1 R2 4 2 0x7f00 4", `k.traceg:20: the instruction ends before its delta; valid is a signed decimal number for each active lane after the first`},
		{20, "0010 00000007 1 R4 LDG.E 1 R2 4 2 0x7f00 4 9223372036854775808", `k.traceg:20: malformed delta "9223372036854775808"; valid is a signed decimal number for each active lane after the first`},
		{20, "0010 00000003 1 R4 LDG.E 1 R2 4 2 0x7f00 4 0 0", `k.traceg:20: "0" is too much for this instruction; valid is the end of the line`},
		{20, "0010 ffffffff 1 R4 LDG.E 1 R2 4 1 0x7f0200000000 4", `k.traceg:20: the line ends before its immediate, or lacks an address; valid are all addresses and an immediate, as the first line of the file has one`},
		{20, "0010 00000003 1 R4 LDG.E 1 R2 4 2 0x7f00 4", `k.traceg:20: the line ends before its immediate, or lacks an address; valid are all addresses and an immediate, as the first line of the file has one`},
		{20, "0010 00000003 1 R4 LDG.E 1 R2 4 0 0x7f00 0x10", `k.traceg:20: the line ends before its immediate, or lacks an address; valid are all addresses and an immediate, as the first line of the file has one`},
		{20, "0010 00000001 1 R4 LDG.E 1 R2 4 1 0x7f00 4 x", `k.traceg:20: malformed immediate "x"; valid is a decimal number`},
		{19, "0000 ffffffff 1 R2 S2R 0 0", `k.traceg:20: "0" is too much for this instruction; valid is the end of the line`},
		{24, "0020 ffffffff 0 EXIT 0 0", `k.traceg:24: the line ends before its immediate, or lacks an address; valid are all addresses and an immediate, as the first line of the file has one`},
		// The end of a warp.
		{21, "0020 ffffffff 0 NOP 0 0 0", `k.traceg:21: warp 0 ends with another instruction than EXIT; valid is EXIT as the last one of a warp`},
		{30, "0020 ffffffff 0 BRA 0 0 0", `k.traceg:30: warp 1 ends with another instruction than EXIT; valid is EXIT as the last one of a warp`},
		{20, strings.Repeat("0", maxLine), `k.traceg:20: line is longer than 65536 bytes; valid lines are below 1 KB`},
	} {
		_, err := readAll(edit(c.line, c.with, false))
		requireInputError(t, err, c.want)
	}
}

func TestTruncatedTraceNamesWhereItEnds(t *testing.T) {
	lines := strings.Count(twoTBs, "\n")
	for n := 1; n < lines; n++ {
		_, err := readAll(strings.Join(strings.SplitAfter(twoTBs, "\n")[:n], ""))
		var input *workload.InputError
		require.ErrorAs(t, err, &input)
		require.Equal(t, n, input.Line)
		switch {
		case n == 14 || n == 25:
			require.Contains(t, err.Error(), "the file ends after ")
		case n > 14:
			require.Contains(t, err.Error(), ": the file ends inside a thread block; valid is #END_TB")
		}
	}
	_, err := readAll(edit(25, "#END_TB", true))
	requireInputError(t, err, `k.traceg:25: the file ends after 1 thread block; valid are the 2 of the grid (2,1,1)`)
}

func TestVersion3HasNoImmediates(t *testing.T) {
	require.Equal(t, `k.traceg:15: "0" is too much for this instruction; valid is the end of the line`,
		ampere3.errorOf("0000 ffffffff 1 R2 S2R 0 0 0"))
	require.Empty(t, gpu{80, 4}.errorOf("0000 ffffffff 1 R2 S2R 0 0 -1"))
	_, err := readAll(gpu{80, 4}.kernel("0000 ffffffff 1 R2 S2R 0 0", "0010 ffffffff 0 EXIT 0 0"))
	require.NoError(t, err, "whose writer leaves them out")
}

func TestTooManyDistinctInstructionsAreRefused(t *testing.T) {
	l, err := openText(twoTBs)
	require.NoError(t, err)
	l.forms = append(l.forms, make([]form, maxForms-2)...)
	var tb workload.TB
	requireInputError(t, l.Next(&tb), `k.traceg:21: one more distinct instruction than the 262144 that are valid in a kernel`)
	require.Equal(t, `k.traceg:15: the instruction has 305 characters without mask and addresses; valid are at most 256`,
		ampere.errorOf("0000 ffffffff 0 NOP"+strings.Repeat(".X", 144)+" 0 0 0"))
}

// TestRedirect gives, for each generation, the next PCs that are fall-through
// and the next PCs that are not.
func TestRedirectMarksBranchesThatDoNotFallThrough(t *testing.T) {
	for _, c := range []struct {
		gpu      gpu
		pc, next string
		want     bool
	}{
		{ampere3, "0010", "0020", false},
		{ampere3, "0010", "0030", true},
		{ampere3, "0010", "0000", true},
		{ampere3, "0010", "0018", true},
		{gpu{70, 3}, "0010", "0020", false},
		{pascal, "0010", "0018", false},
		{pascal, "0010", "0020", true},
		{pascal, "0018", "0028", false},
		{pascal, "0018", "0020", true},
		{kepler, "0018", "0020", false},
		{kepler, "0018", "0028", true},
		{kepler, "0038", "0048", false},
	} {
		got := c.gpu.read(t, c.pc+" ffffffff 0 BRA 0 0", c.next+" ffffffff 0 EXIT 0 0")
		require.Equal(t, c.want, got[0].Flags&workload.Redirect != 0, c)
		require.Zero(t, got[1].Flags)
		// Only transfers of control redirect.
		got = c.gpu.read(t, c.pc+" ffffffff 0 NOP 0 0", c.next+" ffffffff 0 EXIT 0 0")
		require.Zero(t, got[0].Flags)
	}
}

func TestRedirectIsTheWarpsOwn(t *testing.T) {
	// The second time round the loop the same branch falls through.
	got := ampere3.read(t,
		"0000 ffffffff 1 R1 MOV 0 0", "0010 ffffffff 0 BRA 0 0",
		"0000 ffffffff 1 R1 MOV 0 0", "0010 ffffffff 0 BRA 0 0",
		"0020 ffffffff 0 EXIT 0 0")
	require.Equal(t, workload.Redirect, got[1].Flags)
	require.Zero(t, got[3].Flags)
}

func TestReadErrorIsReported(t *testing.T) {
	l := &lines{name: "k.traceg", r: bufio.NewReader(brokenReader{})}
	_, err := readHeader(l)
	requireInputError(t, err, "k.traceg: cannot read on: out of order")
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errOutOfOrder }
