package programs

import (
	"path/filepath"

	"cotenant/workload"
	"cotenant/workload/emulated"
	"cotenant/workload/kernels"
	"cotenant/workload/ptx"
	"cotenant/workload/ptx/sass"
)

// App is a program as an application: each of its runs is a process of its own. target says how textures
// lie in memory and products of matrices round, rules how PTX is lowered. An error names the program.
func App(spec Spec, target workload.Target, rules sass.Options) (*workload.App, error) {
	if err := spec.Validate(); err != nil {
		return nil, err
	}
	names, err := kernelNames(spec.Program)
	if err != nil {
		return nil, err
	}
	app := &workload.App{Name: filepath.Base(spec.Program), KernelNames: names, Files: append([]string{spec.Program}, spec.Reads...)}
	runs := &sequence{}
	app.Host = func() (workload.Host, error) {
		s, err := startSession(spec, emulated.NewMachine(target, rules), runs, app.Tell)
		if err != nil {
			return nil, err // no Host that is not nil
		}
		return s, nil
	}
	return app, nil
}

// kernelNames are the kernels of a program, in the order of its device code.
func kernelNames(program string) (names []string, err error) {
	texts, err := deviceCode(program)
	if err != nil {
		return nil, err
	}
	var separate []ptx.File
	for _, text := range texts {
		name, linked := sourceName(text)
		f := ptx.File{Path: name + ".ptx", Text: text}
		if linked {
			separate = append(separate, f)
			continue
		}
		if names, err = appendKernels(names, f); err != nil {
			return nil, err
		}
	}
	if len(separate) > 0 {
		if names, err = appendKernels(names, separate...); err != nil {
			return nil, err
		}
	}
	if len(names) == 0 { // it loads kernels at run time
		names = []string{filepath.Base(program)}
	}
	return names, nil
}

// appendKernels appends the kernels of files that are linked.
func appendKernels(names []string, files ...ptx.File) ([]string, error) {
	c, err := parse(files...)
	if err != nil {
		return nil, err
	}
	for _, f := range c.module.Funcs {
		if f.Entry {
			names = append(names, kernels.PlainName(f.Name))
		}
	}
	return names, nil
}
