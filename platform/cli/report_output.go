package cli

import "io"

// reportOutput is where a report goes, in several forms.
type reportOutput[T any] struct {
	files []*outputFile
	forms []reportForm[T] // of the files
	// stdout is the form that standard output gets; nil if none.
	stdout reportForm[T]
}

// reportForm writes a report in one of its forms.
type reportForm[T any] func(T, io.Writer) error

// add makes sure that a form can be written where its flag says, if it is given.
func (o *reportOutput[T]) add(flag *outputFlag, form reportForm[T]) error {
	if flag.standard() {
		o.stdout = form
	}
	file, err := flag.open()
	if file != nil {
		o.files, o.forms = append(o.files, file), append(o.forms, form)
	}
	return err
}

// write writes the report to the files and to standard output.
func (o *reportOutput[T]) write(stdout io.Writer, report T) error {
	for i, file := range o.files {
		if err := file.stage(func(w io.Writer) error { return o.forms[i](report, w) }); err != nil {
			return err
		}
	}
	for _, file := range o.files {
		if err := file.commit(); err != nil {
			return err
		}
	}
	if o.stdout == nil {
		return nil
	}
	return o.stdout(report, stdout)
}

// discard removes what has not been written whole.
func (o *reportOutput[T]) discard() {
	for _, file := range o.files {
		file.discard()
	}
}
