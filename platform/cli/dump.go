package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"cotenant/experiment"
	"cotenant/staging"
	"cotenant/workload"
)

// dumps manages the files of the tenants' dump steps.
type dumps struct {
	paths *files
	out   *runOutputs
	files map[string]*dumpFile // by path
	// done has the steps that have written.
	done map[dumpStep]bool
}

type dumpStep struct {
	tenant int
	at     string
}

type dumpFile struct {
	*outputFile
	dumpStep
	written bool
}

// dumps checks that the files with known names can be written, and has the run write
// them. It returns nil under --no-dumps.
func (f *runFlags) dumps(r *experiment.Run, paths *files, out *runOutputs) (*dumps, error) {
	if f.noDumps {
		return nil, nil
	}
	d := &dumps{paths, out, map[string]*dumpFile{}, map[dumpStep]bool{}}
	for tenant := range r.Apps {
		for _, step := range r.Apps[tenant].Workload.Inspections {
			if step.File == "" || step.File == os.DevNull {
				continue
			}
			this := dumpStep{tenant, step.At}
			if err := d.taken(this, step.File); err != nil {
				return nil, err
			}
			if err := d.open(this, step.File); err != nil {
				return nil, err
			}
		}
	}
	r.Dump = d.write
	return d, nil
}

// taken returns an error if a step already has the file.
func (d *dumps) taken(step dumpStep, path string) error {
	first := d.files[path]
	switch {
	case first == nil:
		return nil
	case first.tenant != step.tenant:
		return fmt.Errorf("%s writes %s, as tenant %d does; valid: a file for each, such as out-{tenant}.raw", step.at, path, first.tenant)
	}
	return fmt.Errorf("%s writes %s a second time; valid: a file for each time, such as out-{turn}.raw with a number called turn", step.at, path)
}

func (d *dumps) open(step dumpStep, path string) error {
	if err := d.paths.writes(use{by: step.at, shown: path, place: find(path)}); err != nil {
		return errors.New(err.Error()) // a fault of the manifest, not of the command line
	}
	file, err := openOutput(path)
	if err != nil {
		return fmt.Errorf("%s: %w", step.at, err)
	}
	d.files[path] = &dumpFile{file, step, false}
	return nil
}

// write stages a file of a step.
func (d *dumps) write(tenant int, at, path string, data []byte) error {
	step := dumpStep{tenant, at}
	if path == os.DevNull {
		d.done[step] = true
		return nil
	}
	f := d.files[path]
	if f != nil && (f.written || f.dumpStep != step) {
		return d.taken(step, path)
	}
	if f == nil {
		if err := d.open(step, path); err != nil {
			return err
		}
		f = d.files[path]
	}
	f.written, d.done[step] = true, true
	d.out.add(f.outputFile, nil)
	return f.stage(func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// unreached lists the steps that the run ended before.
func unreached(r *experiment.Run, result *experiment.Result, d *dumps) (steps []string) {
	for tenant := range r.Apps {
		var list []string
		if e := result.Kernels[tenant].Expects; e != nil {
			list = append(list, e.Unreached...)
		}
		for _, step := range r.Apps[tenant].Workload.Inspections {
			if d != nil && step.Dump && !d.done[dumpStep{tenant, step.At}] {
				list = append(list, step.At)
			}
		}
		for _, at := range list {
			if len(r.Apps) > 1 {
				at += fmt.Sprintf(" of tenant %d", tenant)
			}
			steps = append(steps, at)
		}
	}
	return steps
}

// arrays has the run write its arrays to the folder of --dump-arrays, in a folder for each
// tenant.
func (f *runFlags) arrays(r *experiment.Run, out *runOutputs) error {
	if !f.dumpArrays.given() {
		return nil
	}
	emulated := false
	for i := range r.Apps {
		emulated = emulated || r.Apps[i].Workload.Host != nil
	}
	if !emulated {
		return usagef("--dump-arrays: no application has arrays; valid: with an application of real kernels, NAME or ptx:FILE.yaml")
	}
	folder, err := staging.MakeFolder(f.dumpArrays.path)
	if err != nil {
		return fmt.Errorf("--dump-arrays: %w", err)
	}
	out.add(folder, nil)
	r.Arrays = func(tenant int, arrays []workload.Array) error {
		name := fmt.Sprintf("%d-%s", tenant, fileName(r.Apps[tenant].Workload.Name))
		return staging.FolderFault(f.dumpArrays.path, writeArrays(filepath.Join(folder.At, name), arrays))
	}
	return nil
}

// writeArrays writes the arrays of a tenant into a folder, and a list that a launch manifest
// can read back.
func writeArrays(folder string, arrays []workload.Array) error {
	if err := os.Mkdir(folder, 0o777); err != nil {
		return err
	}
	list := "arrays:\n"
	for _, array := range arrays {
		file := array.Name + ".raw"
		list += fmt.Sprintf("  - {name: %s, %s, length: %d, file: %s}\n", strings.ReplaceAll(array.Name, ".", "_"), array.Type, array.Length, file)
		if err := os.WriteFile(filepath.Join(folder, file), array.Data, 0o666); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(folder, "arrays.yaml"), []byte(list), 0o666)
}

// fileName keeps the characters of a text that every file system takes.
func fileName(text string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x80 && (r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || strings.ContainsRune("-_+", r)) {
			return r
		}
		return '_'
	}, text)
}
