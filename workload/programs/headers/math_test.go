package headers

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/tests/need"
)

var (
	update = flag.Bool("update", false, "write the measured errors of mathematical functions into docs/device-math.md")
	whole  = flag.Bool("whole", false, "try every single number and 10 million double numbers of a mathematical function")
)

// bound is what CUDA's programming guide (12, mathematical functions, tables 17 and 18) allows a
// function: the distance of a result from the correctly rounded result, in numbers of the format.
type bound struct {
	name           string
	single, double int
	// costly marks functions with a slow reference: without -whole fewer arguments are tried.
	costly bool
	// near is the remark of the table where the bound holds in a part of the range only.
	near string
}

const below8 = "arguments below 8"

var bounds = []bound{
	{"rsqrt", 2, 1, true, ""}, {"cbrt", 1, 1, false, ""}, {"rcbrt", 1, 1, true, ""},
	{"hypot", 3, 2, true, ""}, {"rhypot", 2, 1, true, ""},
	{"norm3d", 3, 2, true, ""}, {"rnorm3d", 2, 1, true, ""}, {"norm4d", 3, 2, true, ""}, {"rnorm4d", 2, 1, true, ""},
	{"exp", 2, 1, false, ""}, {"exp2", 2, 1, false, ""}, {"exp10", 2, 1, true, ""}, {"expm1", 1, 1, false, ""},
	{"log", 1, 1, false, ""}, {"log2", 1, 1, false, ""}, {"log10", 2, 1, false, ""}, {"log1p", 1, 1, false, ""},
	{"sin", 2, 2, false, ""}, {"cos", 2, 2, false, ""}, {"tan", 4, 2, false, ""}, {"sinpi", 1, 2, true, ""}, {"cospi", 1, 2, true, ""},
	{"asin", 2, 2, false, ""}, {"acos", 2, 2, false, ""}, {"atan", 2, 2, false, ""}, {"atan2", 3, 2, true, ""},
	{"sinh", 3, 2, false, ""}, {"cosh", 2, 1, false, ""}, {"tanh", 2, 1, false, ""},
	{"asinh", 3, 3, false, ""}, {"acosh", 4, 3, false, ""}, {"atanh", 3, 2, false, ""}, {"pow", 4, 2, true, ""},
	{"erf", 2, 2, false, ""}, {"erfc", 4, 5, false, ""}, {"erfcx", 4, 4, true, ""}, {"erfinv", 2, 5, true, ""}, {"erfcinv", 4, 6, true, ""},
	{"normcdf", 5, 5, true, ""}, {"normcdfinv", 5, 8, true, ""},
	{"lgamma", 6, 4, true, "without -23.0001 to -2.26"}, {"tgamma", 5, 10, true, ""},
	{"j0", 9, 7, true, below8}, {"j1", 9, 7, true, below8}, {"y0", 9, 7, true, below8}, {"y1", 9, 7, true, below8},
	{"cyl_bessel_i0", 6, 6, true, ""}, {"cyl_bessel_i1", 6, 6, true, ""},
}

// host compiles testdata/accuracy.cpp, once: the same functions as plain C++.
func host(t testing.TB) string {
	t.Helper()
	compiler := need.Program(t, "clang-16", "clang++-16")
	out := filepath.Join(t.TempDir(), "accuracy")
	if accuracy != nil {
		require.NoError(t, os.WriteFile(out, accuracy, 0o700))
		return out
	}
	args := []string{"-x", "c++", "-O2", "-ffp-contract=off", "-fno-math-errno", "-I", folder, "-o", out, "testdata/accuracy.cpp"}
	cpu, _ := os.ReadFile("/proc/cpuinfo")
	if bytes.Contains(cpu, []byte(" fma ")) {
		args = append(args, "-mfma")
	}
	if bytes.Contains(cpu, []byte(" avx2 ")) {
		args = append(args, "-mavx2", "-lmvec")
	}
	output, err := exec.Command(compiler, args...).CombinedOutput()
	require.NoError(t, err, "%s", output)
	accuracy, err = os.ReadFile(out)
	require.NoError(t, err)
	return out
}

// accuracy is the program of host, for tests that share it.
var accuracy []byte

// error is what accuracy measured.
type measured struct {
	count    int
	ulp      float64 // the largest error
	distance int     // from the correctly rounded result
	edges    int     // special arguments with a wrong result
	text     string
}

func measure(t testing.TB, program, name, format string, n int) (m measured) {
	t.Helper()
	out, err := exec.Command(program, name, format, strconv.Itoa(n)).CombinedOutput()
	require.NoError(t, err, "%s", out)
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	fields := strings.Fields(lines[len(lines)-1])
	require.Len(t, fields, 9, "%s", out)
	m.count, err = strconv.Atoi(fields[0])
	require.NoError(t, err)
	m.ulp, err = strconv.ParseFloat(fields[1], 64)
	require.NoError(t, err)
	m.distance, err = strconv.Atoi(fields[2])
	require.NoError(t, err)
	m.edges, err = strconv.Atoi(fields[8])
	require.NoError(t, err)
	m.text = name + " " + format + ": " + string(out)
	return m
}

const page = "../../../docs/device-math.md"

// numbers of arguments: the everyday test tries a part of what -update and -whole try.
const (
	stride, costlyStride, points = 257, 4111, 50_000
	part                         = 64
	wholePoints                  = 10_000_000
)

// several marks functions of several arguments: their arguments are drawn in single precision too.
var several = regexp.MustCompile(`^(hypot|rhypot|r?norm[34]d|atan2|pow)$`)

// tries returns the stride of single numbers and the count of double ones.
func (b bound) tries() (every, n int) {
	every, n = stride, points
	if b.costly {
		every = costlyStride
	}
	if *whole {
		every, n = 1, wholePoints
		if several.MatchString(b.name) {
			every = 1 << 32 / wholePoints
		}
	} else if !*update {
		every, n = every*part, n/part
	}
	return every, n
}

// Results keep to CUDA's bounds, and to the errors in the document. -update writes the document's row of
// each function that runs, with more arguments, and with -whole every single number is tried.
func TestErrorsAreWithinCUDAsBounds(t *testing.T) {
	program := host(t)
	for _, b := range bounds {
		t.Run(b.name, func(t *testing.T) {
			every, n := b.tries()
			f, d := measure(t, program, b.name, "f", every), measure(t, program, b.name, "d", n)
			require.LessOrEqual(t, f.distance, b.single, f.text)
			require.LessOrEqual(t, d.distance, b.double, d.text)
			require.Zero(t, f.edges+d.edges, "%s%s", f.text, d.text)
			text, err := os.ReadFile(page)
			require.NoError(t, err)
			old := regexp.MustCompile(`(?m)^\| ` + b.name + ` \|(.*)\|$`)
			row := old.FindSubmatch(text)
			require.NotNil(t, row, "docs/device-math.md has no row of %s: add an empty one", b.name)
			if *update {
				row := fmt.Sprintf("| %s | %d | %d | %.2f | %d | %d | %d | %.2f | %d | %s |", b.name,
					b.single, f.distance, f.ulp, f.count, b.double, d.distance, d.ulp, d.count, b.near)
				require.NoError(t, os.WriteFile(page, old.ReplaceAllLiteral(text, []byte(row)), 0o644))
				return
			}
			// The draws and strides of this test are among the document's.
			cells := strings.Split(string(row[1]), "|")
			for i, m := range map[int]measured{2: f, 6: d} {
				v, err := strconv.ParseFloat(strings.TrimSpace(cells[i]), 64)
				require.NoError(t, err)
				require.LessOrEqual(t, m.ulp, v+0.005, "the document is behind: %s", m.text)
			}
		})
	}
}

// The emulator and the CPU give the same bits, for every function.
func TestDeviceAndHostAgreeToTheBit(t *testing.T) {
	program := host(t)
	p := compile(t, "math.cu")
	names := []string{"logb", "fmod", "remainder", "fdim", "nextafter"}
	for _, b := range bounds {
		if !strings.Contains(b.name, "norm3d") && !strings.Contains(b.name, "norm4d") {
			names = append(names, b.name)
		}
	}
	const n = 256
	edges := []float64{0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, 2, 10, -3, 100, 1e30, -1e30, 1e-30, math.Inf(1), math.Inf(-1), math.NaN(),
		1e-40, 3e38, 88.5, -87.9, 105615, 1e9, 0.75, -0.25}
	d := draws(3)
	var single []float32
	var double []float64
	for i := range n {
		v := math.Ldexp(float64(int32(d.next())), int(d.next()%48)-56)
		if i < len(edges) {
			v = edges[i]
		}
		single, double = append(single, float32(v)), append(double, v)
	}
	for _, name := range names {
		agree(t, program, p, name, "f", single)
		agree(t, program, p, name, "d", double)
	}
}

// agree runs a function on numbers in the emulator and on the CPU.
func agree[T float32 | float64](t *testing.T, program string, p *program, name, format string, in []T) {
	t.Helper()
	if name == "rsqrt" && format == "f" {
		return // an instruction of the special-function unit
	}
	data, err := binary.Append(nil, binary.LittleEndian, in)
	require.NoError(t, err)
	cmd := exec.Command(program, name, format, "-")
	cmd.Stdin = bytes.NewReader(data)
	want, err := cmd.Output()
	require.NoError(t, err)
	out := p.array(t, len(data), nil)
	kernel := map[string]string{"f": "single_", "d": "double_"}[format] + name
	p.run(t, kernel, len(in)/64, 64, p.array(t, len(data), data), out)
	got, err := p.memory.Bytes(out, len(data))
	require.NoError(t, err)
	size := len(data) / len(in)
	for i, v := range in {
		a, b := number(want[i*size:][:size]), number(got[i*size:][:size])
		if a != b && !(math.IsNaN(a) && math.IsNaN(b)) || a == 0 && math.Signbit(a) != math.Signbit(b) {
			t.Errorf("%s of %v (beside %v): %v on the CPU, %v in the emulator", kernel, v, in[i^1], a, b)
		}
	}
}

func number(b []byte) float64 {
	if len(b) == 4 {
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(b))
}

// C++'s overloads mean the same functions, and exact functions are exact.
func TestOverloadsAndExactFunctions(t *testing.T) {
	p := compile(t, "math.cu")
	out, wide := p.array(t, 4*32, nil), p.array(t, 16, nil)
	p.run(t, "overloads", 1, 1, p.array(t, 8, []float32{2.75, 5}), out, wide)
	require.Equal(t, []float32{1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 2 + 3 + 3 + 2 + 3, 3 + 3 + 1 + 8, 1}, read[float32](t, p, out, 14))
	got := read[float32](t, p, out, 17)
	norm := math.Sqrt(2.75*2.75+25+1) + 0.5 + math.Hypot(2.75, 5)
	require.InDelta(t, norm, float64(got[14]), 1e-5)
	require.Equal(t, []float32{1, -0.75 + 4}, got[15:]) // 19.25 = 4 * 5 - 0.75
	require.InDelta(t, 1/math.Sqrt(2.75)+math.Log(5)+math.Sqrt(2.75), read[float64](t, p, wide, 1)[0], 1e-14)
}
