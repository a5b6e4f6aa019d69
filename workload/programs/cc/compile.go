package cc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"cotenant/staging"
	"cotenant/workload/programs"
)

// ErrCompiler is of a clang that has found errors, which it has told itself.
var ErrCompiler = errors.New("clang has found errors")

// UsageError is of a command line that means nothing.
type UsageError struct{ error }

// Run carries out a command line in the manner of nvcc's. clang writes its messages to stderr.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := parse(args)
	if err != nil {
		return UsageError{err}
	}
	c, err := find()
	if err != nil {
		return err
	}
	l, err := c.unpack()
	if err != nil {
		return err
	}
	temporary, stage, err := staging.Folder(os.TempDir(), "cotenant-cc")
	if err != nil {
		return err
	}
	defer stage.Remove()
	d := &driver{options: o, clang: c, library: l, temporary: temporary, ctx: ctx, stdout: stdout, stderr: stderr}
	return d.run()
}

// driver carries out a command line.
type driver struct {
	*options
	clang          *clang
	library        *library
	temporary      string
	ctx            context.Context
	stdout, stderr io.Writer
	files          int // temporary ones so far
}

func (d *driver) run() error {
	if slices.Contains(d.host, "-fopenmp") && d.phase < ptxOnly && !d.dry {
		if err := d.clang.hasOpenMP(); err != nil {
			return err
		}
	}
	var objects []string
	for _, in := range d.inputs {
		if in.language == "" {
			continue
		}
		if in.language == "cuda" {
			var err error
			if in.remapped, err = d.remapped(in.path); err != nil {
				return err
			}
		}
		out, err := d.compile(in)
		if err != nil {
			return err
		}
		objects = append(objects, out)
	}
	switch d.phase {
	case link:
		return d.link(objects)
	case deviceLink:
		return d.empty()
	}
	return nil
}

// compile compiles a source file and returns the path of what it has made.
func (d *driver) compile(in input) (string, error) {
	base := strings.TrimSuffix(filepath.Base(in.path), filepath.Ext(in.path))
	switch d.phase {
	case preprocess:
		args := append(d.hostArgs(in), "-E", in.path)
		if d.output != "" {
			args = append(args, "-o", d.output)
		}
		return "", d.call(args...)
	case hostText:
		return "", d.call(append(d.hostArgs(in), "-E", in.path, "-o", d.named(filepath.Base(in.path)+".cpp.ii"))...)
	case ptxOnly:
		return "", d.devicePTX(in, d.named(base+d.ending))
	}
	out := d.temporaryFile(base + ".o")
	if d.phase == object {
		out = d.named(base + ".o")
	}
	args := append(d.hostArgs(in), "-c", in.path, "-o", out)
	if in.language == "cuda" {
		binary, err := d.embedded(in)
		if err != nil {
			return "", err
		}
		args = append(args, "-Xclang", "-fcuda-include-gpubinary", "-Xclang", binary)
	}
	if err := d.call(args...); err != nil || d.dry {
		return out, err
	}
	if in.language == "cuda" {
		return out, d.movable(in, args, out)
	}
	return out, nil
}

// named is the path of an output: what -o says, or a file of the working folder.
func (d *driver) named(name string) string {
	if d.output != "" {
		return d.output
	}
	return name
}

func (d *driver) temporaryFile(name string) string {
	d.files++
	return filepath.Join(d.temporary, strconv.Itoa(d.files)+"-"+name)
}

// common are the options of every compilation of CUDA.
func (d *driver) common() []string {
	headers := d.headers()
	if d.relocatable {
		headers = append(headers, "-D__CT_PART=1")
	}
	return append([]string{"-x", "cuda", "-nocudainc", "-nocudalib", fmt.Sprintf("--cuda-gpu-arch=sm_%d", d.arch),
		"-Wno-unknown-cuda-version", "-Wno-unused-command-line-argument", "-Wno-pass-failed", "-Wno-reserved-user-defined-literal",
		"-Wno-error=c++11-narrowing", "-Wno-error=register", // of which nvcc warns
		"-Xclang", "-fcuda-allow-variadic-functions", // declared, as libcu++ does, not called
		"-Xclang", "-target-sdk-version=11.0", "-include", "cuda_runtime.h"}, headers...)
}

// headers are what every compilation needs to find headers, and the command line's own options. Headers of the CUDA
// samples come last: a program that brings its own gets those.
func (d *driver) headers() []string {
	return append([]string{"-D__NVCC__=1", "-I", d.library.include, "-idirafter", filepath.Join(d.library.include, "samples")}, d.both...)
}

// oldC lets clang warn where the compilers of older programs warned, such as of functions that
// nothing has declared.
var oldC = []string{"-Wno-error=implicit-function-declaration", "-Wno-error=implicit-int", "-Wno-error=int-conversion", "-Wno-error=return-type"}

// isCxxStandard reports whether an option is a standard of C++, of which nvcc's compilers of C warn.
func isCxxStandard(option string) bool {
	return strings.HasPrefix(option, "-std=c++") || strings.HasPrefix(option, "-std=gnu++")
}

// hostArgs are the options for the host's code of a file.
func (d *driver) hostArgs(in input) []string {
	if in.language == "cuda" {
		return append(append(append(d.common(), in.remapped...), "--cuda-host-only"), d.host...)
	}
	args := append([]string{"-x", in.language}, d.headers()...)
	if in.language == "c" {
		args = append(slices.DeleteFunc(args, isCxxStandard), oldC...)
	}
	return append(args, d.host...)
}

// embedded makes the file that the host's code embeds as the device's.
func (d *driver) embedded(in input) (string, error) {
	ptx := d.temporaryFile("device.ptx")
	if err := d.devicePTX(in, ptx); err != nil || d.dry {
		return ptx, err
	}
	text, err := os.ReadFile(ptx)
	if err != nil {
		return "", err
	}
	binary := d.temporaryFile("device.bin")
	return binary, os.WriteFile(binary, programs.Embed(in.path, text, d.relocatable), 0o600)
}

// link makes the program.
func (d *driver) link(objects []string) error {
	args := append(append([]string{"-o", d.named("a.out")}, objects...), d.linker...)
	args = append(args, d.library.objects...)
	return d.call(append(args, "-lpthread", "-ldl", "-lm")...)
}

// empty makes an object without anything.
func (d *driver) empty() error {
	source := d.temporaryFile("empty.c")
	if err := os.WriteFile(source, nil, 0o600); err != nil {
		return err
	}
	return d.call("-x", "c", "-c", source, "-o", d.named("a_dlink.o"))
}

// call calls clang.
func (d *driver) call(args ...string) error {
	if d.verbose {
		fmt.Fprintln(d.stderr, d.clang.cxx, strings.Join(args, " "))
	}
	if d.dry {
		return nil
	}
	messages := &lacking{Writer: d.stderr}
	cmd := exec.CommandContext(d.ctx, d.clang.cxx, append(messages.colours(), args...)...)
	cmd.Stdout, cmd.Stderr = d.stdout, messages
	if d.stdout == d.stderr {
		cmd.Stdout = messages // so that one goroutine writes to both
	}
	cmd.WaitDelay = time.Second // for messages that a linker may keep open once clang is interrupted
	err := cmd.Run()
	if d.ctx.Err() != nil {
		return d.ctx.Err()
	}
	if status := (*exec.ExitError)(nil); errors.As(err, &status) {
		if advice := messages.advice(); advice != "" {
			return fmt.Errorf("%w: %s", ErrCompiler, advice)
		}
		return ErrCompiler
	}
	return err
}
