package traceg

import (
	"bufio"
	"fmt"
	"math/bits"
	"strings"
	"testing"

	"cotenant/workload"

	"github.com/stretchr/testify/require"
)

// memory makes lines of a text that has no file.
func memory(name, text string) *lines {
	return &lines{name: name, r: bufio.NewReaderSize(strings.NewReader(text), maxLine)}
}

// openText opens a kernel file's text as a launch.
func openText(text string) (*launch, error) {
	in := memory("k.traceg", text)
	h, err := readHeader(in)
	if err != nil {
		return nil, err
	}
	return newLaunch(in, h, Options{}, nil), nil
}

// executed is an instruction with the addresses of its active lanes, lowest
// lane first.
type executed struct {
	workload.Inst
	addresses []uint64
}

func expand(in workload.Inst) executed {
	e := executed{Inst: in}
	if in.Class.IsMemory() {
		low := bits.TrailingZeros32(in.Active)
		for m := in.Active; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m)
			addr := in.Base + uint64(int64(in.Stride)*int64(lane-low))
			if in.Lanes != nil {
				addr = in.Lanes[lane]
			}
			e.addresses = append(e.addresses, addr)
		}
	}
	return e
}

// drain runs a thread block's warps, one after the other.
func drain(tb *workload.TB) (all []executed) {
	var inst workload.Inst
	for _, w := range tb.Warps {
		for w.Fetch(&inst) {
			w.Execute(&inst)
			all = append(all, expand(inst))
		}
	}
	return all
}

// readAll reads a kernel file's text to its end.
func readAll(text string) (all []executed, err error) {
	l, err := openText(text)
	if err != nil {
		return nil, err
	}
	var tb workload.TB
	for range l.header.grid.Count() {
		if err := l.Next(&tb); err != nil {
			return all, err
		}
		all = append(all, drain(&tb)...)
		l.Recycle(&tb)
	}
	return all, l.Close()
}

// gpu is the code of a header that instruction lines are read under.
type gpu struct{ binary, tracer int }

var (
	kepler  = gpu{35, 3}
	pascal  = gpu{60, 3}
	ampere3 = gpu{80, 3}
	ampere  = gpu{80, 5}
	hopper  = gpu{90, 5}
)

// kernel wraps the instruction lines of one warp into a kernel file. They get an
// EXIT behind them, with an immediate from version 4 on, unless they have one.
func (g gpu) kernel(insts ...string) string {
	if last := insts[len(insts)-1]; !strings.Contains(last, " EXIT ") && !strings.Contains(last, " KILL ") {
		exit := "0010 ffffffff 0 EXIT 0 0"
		if g.tracer >= 4 {
			exit += " 0"
		}
		insts = append(insts[:len(insts):len(insts)], exit)
	}
	return fmt.Sprintf(`-kernel name = k
-grid dim = (1,1,1)
-block dim = (32,1,1)
-shmem = 0
-nregs = 16
-binary version = %d
-shmem base_addr = 0x00007f0041000000
-local mem base_addr = 0x00007f003f000000
-accelsim tracer version = %d

#BEGIN_TB
thread block = 0,0,0
warp = 0
insts = %d
%s
#END_TB
`, g.binary, g.tracer, len(insts), strings.Join(insts, "\n"))
}

// read returns what the instruction lines are read as.
func (g gpu) read(t require.TestingT, insts ...string) []executed {
	all, err := readAll(g.kernel(insts...))
	if err != nil { // a writer that leaves immediates out
		all, err = readAll(g.kernel(append(insts[:len(insts):len(insts)], "0010 ffffffff 0 EXIT 0 0")...))
	}
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(all), len(insts))
	return all[:len(insts)]
}

// firstInst is the line of gpu.kernel's first instruction.

// errorOf returns the error of a single instruction line.
func (g gpu) errorOf(inst string) string {
	_, err := readAll(g.kernel(inst))
	if err == nil {
		return ""
	}
	return err.Error()
}

func requireInputError(t *testing.T, err error, want string) {
	t.Helper()
	require.EqualError(t, err, want)
	var input *workload.InputError
	require.ErrorAs(t, err, &input)
}
