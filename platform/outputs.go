package main

import (
	"fmt"
	"io"

	"cotenant/experiment"
)

// outputs is where a result goes.
type outputs struct {
	files []*outputFile
	forms []func(io.Writer, *experiment.Result) error // of the files, by number
	// stdout is the form that standard output gets.
	stdout func(io.Writer, *experiment.Result) error
}

func (f *runFlags) openOutputs() (*outputs, error) {
	o := &outputs{stdout: func(w io.Writer, r *experiment.Result) error { return experiment.WriteTable(w, r) }}
	for _, form := range []struct {
		path  string
		write func(io.Writer, *experiment.Result) error
	}{
		{f.json, experiment.WriteJSON},
		{f.csv, func(w io.Writer, r *experiment.Result) error { return experiment.WriteCSV(w, r) }},
	} {
		switch form.path {
		case "":
		case "-":
			o.stdout = form.write
		default:
			file, err := openOutput(form.path)
			if err != nil {
				return nil, err
			}
			if len(o.files) > 0 && file.path == o.files[0].path {
				return nil, usagef("--json and --csv both write to %s; valid: different files", form.path)
			}
			o.files = append(o.files, file)
			o.forms = append(o.forms, form.write)
		}
	}
	return o, nil
}

// write writes a result to the files and to standard output.
func (o *outputs) write(stdout io.Writer, r *experiment.Result) error {
	defer func() {
		for _, file := range o.files {
			file.discard()
		}
	}()
	for i, file := range o.files {
		if err := file.stage(func(w io.Writer) error { return o.forms[i](w, r) }); err != nil {
			return err
		}
	}
	for _, file := range o.files {
		if err := file.commit(); err != nil {
			return err
		}
	}
	if err := o.stdout(stdout, r); err != nil {
		return fmt.Errorf("standard output: %w", err)
	}
	return nil
}
