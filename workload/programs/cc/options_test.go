package cc

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestOptionsOfMakefilesAreUnderstood(t *testing.T) {
	for line, want := range map[string]func(*options) bool{
		"a.cu -o a":                           func(o *options) bool { return o.phase == link && o.output == "a" && o.arch == 70 },
		"--output-file=a a.cu":                func(o *options) bool { return o.output == "a" },
		"-c a.cu b.cu":                        func(o *options) bool { return o.phase == object && len(o.inputs) == 2 },
		"-fatbin a.cu":                        func(o *options) bool { return o.phase == ptxOnly && o.ending == ".fatbin" },
		"-dc a.cu -arch=sm_80":                func(o *options) bool { return o.phase == object && o.relocatable && o.arch == 80 },
		"-arch sm_13 a.cu":                    func(o *options) bool { return o.arch == 35 },
		"--gpu-architecture=compute_120 a.cu": func(o *options) bool { return o.arch == 90 },
		"-gencode arch=compute_60,code=sm_60 --generate-code=arch=compute_75,code=[sm_75] a.cu": func(o *options) bool { return o.arch == 75 },
		"-I inc -Iother -DN=4 -D M -Uk a.cu":                                                    func(o *options) bool { return is(o.both, "-Iinc -Iother -DN=4 -DM -Uk") },
		"-O3 -g -Xcompiler -Wall,-fopenmp a.cu":                                                 func(o *options) bool { return is(o.host, "-O3 -g -Wall -fopenmp") && is(o.linker, "-fopenmp") },
		"--compiler-options=-fPIC a.cu":                                                         func(o *options) bool { return is(o.host, "-fPIC") },
		"-std=c++14 a.cu":                                                                       func(o *options) bool { return is(o.both, "-std=c++14") },
		"--std c++17 a.cu":                                                                      func(o *options) bool { return is(o.both, "-std=c++17") },
		"a.cu b.o -L/x -lm -lcudart -lcuda -lcudadevrt -lGL":                                    func(o *options) bool { return is(o.linker, "b.o -L/x -lm -lGL") },
		"-Xptxas -v --ptxas-options=-v -maxrregcount=32 --maxrregcount 32 -lineinfo -G -m64 -ccbin g++ -cudart shared a.cu": func(o *options) bool {
			return len(o.inputs) == 1 && len(o.host)+len(o.device)+len(o.both)+len(o.linker) == 0
		},
		"-use_fast_math a.cu": func(o *options) bool { return is(o.both, "-D__USE_FAST_MATH__=1") && len(o.device) > 0 },
		"-mllvm -unroll-threshold=9 a.cu": func(o *options) bool {
			return is(o.device, "-mllvm -unroll-threshold=9") && len(o.host) == 0 && len(o.inputs) == 1
		},
		"-fmad=false a.cu":      func(o *options) bool { return o.separate },
		"-x cu a.cpp":           func(o *options) bool { return o.inputs[0].language == "cuda" },
		"-x c a.txt":            func(o *options) bool { return o.inputs[0].language == "c" },
		"-ptx a.cu":             func(o *options) bool { return o.phase == ptxOnly },
		"-MD -MF a.d -c a.cu":   func(o *options) bool { return is(o.host, "-MD -MF a.d") },
		"-Xlinker -rpath,. a.o": func(o *options) bool { return is(o.linker, "-Xlinker -rpath -Xlinker . a.o") },
		"-rdc=true a.cu":        func(o *options) bool { return o.relocatable },
		"-dlink a.o -o b.o":     func(o *options) bool { return o.phase == deviceLink },
		"-E a.c":                func(o *options) bool { return o.phase == preprocess && o.inputs[0].language == "c" },
		"-cuda a.cu":            func(o *options) bool { return o.phase == hostText },
		"-dryrun a.cu":          func(o *options) bool { return o.dry && o.verbose },
	} {
		o, err := parse(strings.Fields(line))
		require.NoError(t, err, line)
		assert.True(t, want(o), "%s: %+v", line, o)
	}
}

// is reports whether a list has the words of a line.
func is(list []string, words string) bool { return strings.Join(list, " ") == words }

func TestWrongCommandLinesSayWhatIsValid(t *testing.T) {
	for line, want := range map[string]string{
		"":                   "no input file; valid: cotenant cc [OPTIONS] FILES -o PROGRAM",
		"-o":                 "option -o has no value",
		"--turbo a.cu":       `unknown option "--turbo"; valid: those of nvcc that cotenant cc --help lists`,
		"-arch=fast a.cu":    `architecture "fast"; valid: sm_35 to sm_90, and older and newer ones, which count as these`,
		"a.f90":              "a.f90: the file's kind is unknown; valid: .cu, .c, .cpp, .cc, .cxx, .o, .a, .so, or -x cu before it",
		"-c a.o":             "no source file to compile; valid: a .cu, .c or .cpp file",
		"-c a.cu b.cu -o ab": "-o ab for 2 source files; valid: one source file, or no -o",
		"-x f90 a.f90":       "option -x f90; valid: cu, c, c++",
	} {
		_, err := parse(strings.Fields(line))
		require.EqualError(t, err, want, line)
	}
}
