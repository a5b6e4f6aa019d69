package cli

import (
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
	file   *outputFile
	finish func(*experiment.Result) error
}

func (f *runFlags) openOutputs() (*outputs, error) {
	o := &outputs{stdout: func(w io.Writer, r *experiment.Result) error { return experiment.WriteTable(w, r) }}
	for _, form := range []struct {
		flag  *outputFlag
		write func(io.Writer, *experiment.Result) error
	}{
		{&f.json, experiment.WriteJSON},
		{&f.csv, func(w io.Writer, r *experiment.Result) error { return experiment.WriteCSV(w, r) }},
	} {
		if form.flag.standard() {
			o.stdout = form.write
		}
		file, err := form.flag.open()
		if err != nil {
			return nil, err
		}
		if file != nil {
			o.add(file, func(r *experiment.Result) error {
				return file.stage(func(w io.Writer) error { return form.write(w, r) })
			})
		}
	}
	return o, nil
}

func (o *outputs) add(file *outputFile, finish func(*experiment.Result) error) {
	o.list = append(o.list, output{file, finish})
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
	return o.stdout(stdout, r)
}
