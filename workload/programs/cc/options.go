// Package cc compiles CUDA programs by clang alone, with the options that makefiles give nvcc. Device code
// becomes PTX, which the program holds as text; host code is linked with the runtime library of package
// programs, by which the program talks to the simulator.
package cc

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// phase is how far compilation goes.
type phase uint8

const (
	link       phase = iota
	object           // -c, -dc
	ptxOnly          // -ptx
	preprocess       // -E, -M, -MM
	hostText         // -cuda: the preprocessed host code, in a file
	deviceLink       // -dlink: device code is linked when the program runs, so it makes an empty object
)

// options are a command line.
type options struct {
	phase  phase
	output string
	ending string // of PTX without -o
	inputs []input
	// both are for host and device compilation, host for the host's alone, device for the device's.
	both, host, device []string
	// linker are libraries and options of the linker, in order with objects among inputs.
	linker      []string
	arch        int
	relocatable bool
	separate    bool // -fmad=false: device code multiplies and adds by two instructions
	verbose     bool
	dry         bool
}

// input is a file to compile or to link.
type input struct {
	path     string
	language string   // cuda, c, c++; "" for what goes to the linker
	remapped []string // options by which clang reads it, see remapped
}

// Limits of the architectures that clang 16 compiles for.
const (
	defaultArch = 70
	lowestArch  = 35
	highestArch = 90
)

// ignored are options that change nothing here, and whether a value follows.
var ignored = map[string]bool{
	"-G": false, "--device-debug": false, "-lineinfo": false, "--generate-line-info": false, "-m64": false, "-m": true,
	"--machine": true, "-Xptxas": true, "--ptxas-options": true, "-maxrregcount": true, "--maxrregcount": true,
	"-cudart": true, "--cudart": true, "-ccbin": true, "--compiler-bindir": true, "-keep": false, "--keep": false,
	"--keep-dir": true, "-keep-dir": true, "-res-usage": false, "--resource-usage": false, "-Xcudafe": true,
	"--expt-relaxed-constexpr": false, "-expt-relaxed-constexpr": false, "--expt-extended-lambda": false,
	"-expt-extended-lambda": false, "--extended-lambda": false, "-extended-lambda": false, "-t": true, "--threads": true,
	"-forward-unknown-to-host-compiler": false, "--forward-unknown-to-host-compiler": false, "-default-stream": true,
	"--default-stream": true, "-diag-suppress": true, "--diag-suppress": true, "-Xnvlink": true, "--nvlink-options": true,
	"-Xfatbin": true, "--fatbin-options": true, "-code": true, "--gpu-code": true, "-ftz": true, "--ftz": true,
	"-prec-div": true, "--prec-div": true, "-prec-sqrt": true, "--prec-sqrt": true, "-restrict": false, "--restrict": false,
	"-use-local-env": false, "-clean": false, "-time": true, "-dlto": false,
}

// longNames are nvcc's long names of options that are known by their short ones.
var longNames = map[string]string{
	"--output-file": "-o", "--compile": "-c", "--device-c": "-dc", "--device-link": "-dlink", "--ptx": "-ptx", "--fatbin": "-fatbin", "--cubin": "-cubin", "--cuda": "-cuda",
	"--preprocess": "-E", "--include-path": "-I", "--define-macro": "-D", "--undefine-macro": "-U", "--optimize": "-O",
	"--debug": "-g", "--library": "-l", "--library-path": "-L", "--gpu-architecture": "-arch", "--generate-code": "-gencode",
	"-generate-code": "-gencode", "--relocatable-device-code": "-rdc", "--compiler-options": "-Xcompiler",
	"--linker-options": "-Xlinker", "--use_fast_math": "-use_fast_math", "--std": "-std", "--shared": "-shared",
	"--verbose": "-v", "--dryrun": "-dryrun", "--disable-warnings": "-w", "--fmad": "-fmad", "--x": "-x",
	"--pre-include": "-include", "--system-include": "-isystem", "--generate-dependencies": "-M",
	"--generate-dependencies-with-compile": "-MD", "--dependency-output": "-MF",
}

// valued are the options that a value follows, apart or joined by an equals sign.
var valued = []string{"-o", "-arch", "-gencode", "-rdc", "-mllvm", "-Xcompiler", "-Xlinker", "-std", "-x", "-include", "-isystem",
	"-MF", "-MT", "-MQ", "-fmad", "-I", "-D", "-U", "-L", "-l"}

// joined lists the options with a value that may follow without a space.
var joined = []string{"-I", "-D", "-U", "-L", "-l", "-O", "-isystem"}

// dropped are the libraries that the runtime library stands for.
var dropped = []string{"cudart", "cudart_static", "cuda", "cudadevrt", "nvToolsExt", "nvrtc", "nvrtc_static", "nvrtc-builtins"}

// parse reads a command line of nvcc's.
func parse(args []string) (*options, error) {
	o := &options{arch: defaultArch}
	language := ""
	archs := 0
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		if !strings.HasPrefix(arg, "-") || arg == "-" {
			if err := o.add(arg, language); err != nil {
				return nil, err
			}
			continue
		}
		name, value, has := o.split(arg)
		if takes, known := ignored[name]; known {
			if takes && !has && len(args) > 0 {
				args = args[1:]
			}
			continue
		}
		if slices.Contains(valued, name) && !has {
			if len(args) == 0 {
				return nil, fmt.Errorf("option %s has no value", arg)
			}
			value, args = args[0], args[1:]
		}
		switch name {
		case "-o":
			o.output = value
		case "-c":
			o.phase = object
		case "-dc":
			o.phase, o.relocatable = object, true
		case "-dlink":
			o.phase = deviceLink
		case "-ptx", "-fatbin", "-cubin": // what a program loads as these is PTX, too
			o.phase, o.ending = ptxOnly, "."+name[1:]
		case "-E":
			o.phase = preprocess
		case "-cuda":
			o.phase = hostText
		case "-M", "-MM":
			o.phase = preprocess
			o.host = append(o.host, name)
		case "-x":
			language = map[string]string{"cu": "cuda", "c": "c", "c++": "c++"}[value]
			if language == "" {
				return nil, fmt.Errorf("option -x %s; valid: cu, c, c++", value)
			}
		case "-rdc":
			o.relocatable = value == "true"
		case "-arch":
			n, err := architecture(value)
			if err != nil {
				return nil, err
			}
			archs = max(archs, n)
		case "-gencode":
			for _, part := range strings.Split(value, ",") {
				if arch, ok := strings.CutPrefix(strings.Trim(part, "\"' "), "arch="); ok {
					n, err := architecture(arch)
					if err != nil {
						return nil, err
					}
					archs = max(archs, n)
				}
			}
		case "-Xcompiler":
			o.host = append(o.host, fields(value)...)
			o.linker = append(o.linker, runtimeOptions(fields(value))...)
		case "-Xlinker":
			for _, f := range fields(value) {
				o.linker = append(o.linker, "-Xlinker", f)
			}
		case "-use_fast_math":
			o.device = append(o.device, "-fgpu-flush-denormals-to-zero",
				"-mllvm", "-nvptx-prec-divf32=0", "-mllvm", "-nvptx-prec-sqrtf32=0")
			o.both = append(o.both, "-D__USE_FAST_MATH__=1")
		case "-fmad":
			o.separate = value == "false"
		case "-mllvm":
			o.device = append(o.device, name, value)
		case "-I", "-D", "-U":
			o.both = append(o.both, name+value)
		case "-include", "-isystem":
			o.both = append(o.both, name, value)
		case "-std":
			o.both = append(o.both, "-std="+value)
		case "-O", "-g", "-pg", "-MD", "-MMD", "-MP":
			o.host = append(o.host, arg)
		case "-MF", "-MT", "-MQ":
			o.host = append(o.host, name, value)
		case "-w":
			o.both = append(o.both, arg)
		case "-l":
			if !slices.Contains(dropped, value) {
				o.linker = append(o.linker, "-l"+value)
			}
		case "-L":
			o.linker = append(o.linker, "-L"+value)
		case "-shared":
			o.linker = append(o.linker, "-shared")
			o.host = append(o.host, "-fPIC")
		case "-v":
			o.verbose = true
		case "-dryrun":
			o.verbose, o.dry = true, true
		default:
			// Makefiles also use cotenant cc as CC and CXX.
			switch {
			case strings.HasPrefix(arg, "-ffile-prefix-map="):
				o.both = append(o.both, arg)
			case strings.HasPrefix(arg, "-W"), strings.HasPrefix(arg, "-f"):
				o.host = append(o.host, arg)
				o.linker = append(o.linker, runtimeOptions([]string{arg})...)
			case arg == "-pthread", strings.HasPrefix(arg, "-m"), arg == "-pedantic", arg == "-ansi":
				o.host = append(o.host, arg)
			case arg == "-static", arg == "-rdynamic":
				o.linker = append(o.linker, arg)
			default:
				return nil, fmt.Errorf("unknown option %q; valid: those of nvcc that cotenant cc --help lists", arg)
			}
		}
	}
	if archs > 0 {
		o.arch = min(max(archs, lowestArch), highestArch)
	}
	return o, o.check()
}

// split takes an option apart: its short name and its value, if it has one.
func (o *options) split(arg string) (name, value string, has bool) {
	name, value, has = strings.Cut(arg, "=")
	if short, ok := longNames[name]; ok {
		name = short
	}
	if has && (slices.Contains(valued, name) && !strings.HasPrefix(arg, "-D") || known(name)) {
		return name, value, true
	}
	if short, ok := longNames[arg]; ok {
		return short, "", false
	}
	if known(arg) {
		return arg, "", false
	}
	for _, j := range joined {
		if rest, ok := strings.CutPrefix(arg, j); ok && rest != "" {
			return j, rest, true
		}
	}
	return arg, "", false
}

func known(name string) bool { _, ok := ignored[name]; return ok }

// fields takes apart the value of an option of another tool.
func fields(value string) []string {
	return strings.FieldsFunc(strings.Trim(value, "\"'"), func(r rune) bool { return r == ',' || r == ' ' })
}

// runtimeOptions are the options of a compiler that also concern linking.
func runtimeOptions(list []string) (linker []string) {
	for _, o := range list {
		if o == "-fopenmp" || o == "-pthread" || strings.HasPrefix(o, "-fsanitize") {
			linker = append(linker, o)
		}
	}
	return linker
}

// architecture reads sm_70, compute_70 and such.
func architecture(name string) (int, error) {
	number := strings.TrimPrefix(strings.TrimPrefix(name, "sm_"), "compute_")
	switch number {
	case "native", "all", "all-major":
		return defaultArch, nil
	}
	n, err := strconv.Atoi(strings.TrimRight(number, "af"))
	if err != nil || number == name {
		return 0, fmt.Errorf("architecture %q; valid: sm_%d to sm_%d, and older and newer ones, which count as these", name, lowestArch, highestArch)
	}
	return n, nil
}

// add enters a file by its name's ending.
func (o *options) add(path, language string) error {
	if language == "" {
		switch filepath.Ext(path) {
		case ".cu":
			language = "cuda"
		case ".c":
			language = "c"
		case ".cpp", ".cc", ".cxx", ".C", ".c++":
			language = "c++"
		case ".o", ".obj", ".a", ".so":
		default:
			if !strings.Contains(filepath.Base(path), ".so.") {
				return fmt.Errorf("%s: the file's kind is unknown; valid: .cu, .c, .cpp, .cc, .cxx, .o, .a, .so, or -x cu before it", path)
			}
		}
	}
	o.inputs = append(o.inputs, input{path: path, language: language})
	if language == "" {
		o.linker = append(o.linker, path)
	}
	return nil
}

// check finds options that contradict each other.
func (o *options) check() error {
	sources := 0
	for _, in := range o.inputs {
		if in.language != "" {
			sources++
		}
	}
	switch {
	case len(o.inputs) == 0:
		return fmt.Errorf("no input file; valid: cotenant cc [OPTIONS] FILES -o PROGRAM")
	case sources == 0 && o.phase != link && o.phase != deviceLink:
		return fmt.Errorf("no source file to compile; valid: a .cu, .c or .cpp file")
	case o.output != "" && sources > 1 && (o.phase == object || o.phase == ptxOnly || o.phase == hostText):
		return fmt.Errorf("-o %s for %d source files; valid: one source file, or no -o", o.output, sources)
	}
	return nil
}
