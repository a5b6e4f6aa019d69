package cli

import (
	"io"
	"strings"

	"cotenant/experiment"
)

// outputs writes a command's result in several forms: to files, which all appear once the
// last is whole, and then to standard output.
type outputs[T any] struct {
	list []output[T]
	// stdout is the form that standard output gets; nil if none.
	stdout form[T]
	err    error // the first of opening a file
}

// form writes a result, as a table or as JSON.
type form[T any] func(T, io.Writer) error

// output is a file or a folder. finish stages the contents that need the result; it may
// be nil.
type output[T any] struct {
	staged
	finish func(T) error
}

// staged appears at its Commit; Remove removes it before.
type staged interface {
	Commit() error
	Remove()
}

// to adds a form for a flag, if it is given, and checks that its place can be written to.
func (o *outputs[T]) to(flag *outputFlag, form form[T]) {
	if flag.standard() {
		o.stdout = form
	}
	file, err := flag.open()
	if o.err == nil {
		o.err = err
	}
	if file != nil {
		o.add(file, func(result T) error {
			return file.stage(func(w io.Writer) error { return form(result, w) })
		})
	}
}

// alsoPrint writes a further form to standard output, behind the usual output.
func (o *outputs[T]) alsoPrint(form form[T]) {
	before := o.stdout
	o.stdout = func(result T, w io.Writer) error {
		if before != nil {
			if err := before(result, w); err != nil {
				return err
			}
		}
		return form(result, w)
	}
}

func (o *outputs[T]) add(file staged, finish func(T) error) {
	o.list = append(o.list, output[T]{file, finish})
}

// discard removes outputs that are not whole.
func (o *outputs[T]) discard() {
	for _, out := range o.list {
		out.Remove()
	}
}

// write writes a result to the files and to standard output.
func (o *outputs[T]) write(stdout io.Writer, result T) error {
	for _, out := range o.list {
		if out.finish == nil {
			continue
		}
		if err := out.finish(result); err != nil {
			return err
		}
	}
	for _, out := range o.list {
		if err := out.Commit(); err != nil {
			return err
		}
	}
	if o.stdout == nil {
		return nil
	}
	return o.stdout(result, stdout)
}

// asJSON is the form for programs.
func asJSON[T any](result T, w io.Writer) error { return experiment.WriteJSON(w, result) }

// formOf is the form of a file by its name, JSON or CSV; nil if the name does not tell.
func formOf[T any](path string, csv func(T, io.Writer) error) func(T, io.Writer) error {
	switch {
	case strings.HasSuffix(path, ".json"):
		return asJSON[T]
	case strings.HasSuffix(path, ".csv"):
		return csv
	}
	return nil
}

// runOutputs are the outputs of a run.
type runOutputs = outputs[*experiment.Result]
