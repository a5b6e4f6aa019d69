package cli

import (
	"fmt"
	"io"

	"cotenant/experiment"
)

// outputs is where a result goes.
type outputs struct {
	list []output
	// stdout is the form that standard output gets.
	stdout func(io.Writer, *experiment.Result) error
}

// output is a file and what stages its contents, or the rest of them, once
// there is a result.
type output struct {
	flag   string
	file   *outputFile
	finish func(*experiment.Result) error
}

func (f *runFlags) openOutputs() (*outputs, error) {
	o := &outputs{stdout: func(w io.Writer, r *experiment.Result) error { return experiment.WriteTable(w, r) }}
	for _, form := range []struct {
		flag, path string
		write      func(io.Writer, *experiment.Result) error
	}{
		{"json", f.json, experiment.WriteJSON},
		{"csv", f.csv, func(w io.Writer, r *experiment.Result) error { return experiment.WriteCSV(w, r) }},
	} {
		switch form.path {
		case "":
		case "-":
			o.stdout = form.write
		default:
			file, err := o.open(form.flag, form.path)
			if err != nil {
				return nil, err
			}
			o.add(form.flag, file, func(r *experiment.Result) error {
				return file.stage(func(w io.Writer) error { return form.write(w, r) })
			})
		}
	}
	return o, nil
}

// open makes sure that a file can be written, which no other output is.
func (o *outputs) open(flag, path string) (*outputFile, error) {
	file, err := openOutput(path)
	if err != nil {
		return nil, err
	}
	for _, other := range o.list {
		if other.file.path == file.path {
			return nil, usagef("--%s and --%s both write to %s; valid: different files", other.flag, flag, path)
		}
	}
	return file, nil
}

func (o *outputs) add(flag string, file *outputFile, finish func(*experiment.Result) error) {
	o.list = append(o.list, output{flag, file, finish})
}

// discard removes what has not been written whole.
func (o *outputs) discard() {
	for _, out := range o.list {
		out.file.discard()
	}
}

// write writes a result to the files and to standard output.
func (o *outputs) write(stdout io.Writer, r *experiment.Result) error {
	defer o.discard()
	for _, out := range o.list {
		if err := out.finish(r); err != nil {
			return err
		}
	}
	for _, out := range o.list {
		if err := out.file.commit(); err != nil {
			return err
		}
	}
	if err := o.stdout(stdout, r); err != nil {
		return fmt.Errorf("standard output: %w", err)
	}
	return nil
}
