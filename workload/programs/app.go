package programs

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"

	"cotenant/workload"
	"cotenant/workload/emulated"
	"cotenant/workload/kernels"
	"cotenant/workload/ptx/sass"
)

// App is a program as an application: each of its runs is a process of its own. textures is the layout of
// textures of two dimensions, rules is how PTX is lowered. An error names the program.
func App(spec Spec, textures workload.TextureLayout, rules sass.Options) (*workload.App, error) {
	if err := spec.Validate(); err != nil {
		return nil, err
	}
	names, err := kernelNames(spec.Program)
	if err != nil {
		return nil, err
	}
	return &workload.App{Name: filepath.Base(spec.Program), KernelNames: names, Files: []string{spec.Program},
		Host: func() (workload.Host, error) { return newSession(spec, emulated.NewMachine(textures, rules)) }}, nil
}

// kernelNames are the kernels of a program, in the order of its device code.
func kernelNames(program string) (names []string, err error) {
	texts, err := deviceCode(program)
	if err != nil {
		return nil, err
	}
	for _, text := range texts {
		c, err := parse(sourceName(text)+".ptx", text)
		if err != nil {
			return nil, err
		}
		for _, f := range c.module.Funcs {
			if f.Entry {
				names = append(names, kernels.PlainName(f.Name))
			}
		}
	}
	if len(names) == 0 { // it loads kernels at run time
		names = []string{filepath.Base(program)}
	}
	return names, nil
}

// magic begins device code in a program; its size as 8 bytes and the PTX follow. runtime/register.c
// reads it too.
const magic = "COTNPTX1"

// Embed is the form in which a program holds PTX that comes from a source file of a name.
func Embed(source string, text []byte) []byte {
	text = append(bytes.Clone(text), sourceMark+source+"\n"...)
	b := binary.LittleEndian.AppendUint64([]byte(magic), uint64(len(text)))
	return append(b, text...)
}

// sourceMark comes before the name of the source file, at the end of the PTX.
const sourceMark = "\n// cotenant: compiled from "

// sourceName is the name of the source file of PTX, "" if it does not say.
func sourceName(text []byte) string {
	at := bytes.LastIndex(text, []byte(sourceMark))
	if at < 0 {
		return ""
	}
	return string(bytes.TrimSpace(text[at+len(sourceMark):]))
}

// deviceCode lists the PTX that an executable holds.
func deviceCode(program string) (texts [][]byte, err error) {
	f, err := elf.Open(program)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", program, errNotOurs)
	}
	defer f.Close()
	if f.Section(runtimeSection) == nil {
		return nil, fmt.Errorf("%s: %w", program, errNotOurs)
	}
	section := f.Section(".nv_fatbin")
	if section == nil {
		return nil, nil
	}
	data, err := section.Data()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", program, err)
	}
	for {
		at := bytes.Index(data, []byte(magic))
		if at < 0 || at+16 > len(data) {
			break
		}
		size := binary.LittleEndian.Uint64(data[at+8:])
		data = data[at+16:]
		if size > uint64(len(data)) {
			return nil, fmt.Errorf("%s: its device code is cut off; compile it again", program)
		}
		texts = append(texts, data[:size])
		data = data[size:]
	}
	return texts, nil
}

// runtimeSection is a section that the runtime library has (runtime/connect.c).
const runtimeSection = ".cotenant"

// errNotOurs is of a file that is no program with the runtime library.
var errNotOurs = errors.New("is not linked with cotenant's runtime library; valid: a program that `cotenant cc` has compiled")
