package source

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"cotenant/workload"
	"cotenant/workload/programs"
	"cotenant/workload/strictyaml"
)

// appSuffix ends the names of files that describe a CUDA program as an application.
const appSuffix = ".app.yaml"

// appFile is such a file. Its paths are relative to its folder.
type appFile struct {
	// Program is the executable.
	Program string `yaml:"program"`
	// Args are its arguments: a list, or one text that is read as by a shell.
	Args arguments `yaml:"args"`
	// Environment lists variables, NAME=VALUE.
	Environment []string `yaml:"environment"`
	// Folder is the working folder. Default that of the file.
	Folder string `yaml:"folder"`
	// Reads lists files that the program reads: results that are kept depend on their contents.
	Reads []string `yaml:"reads"`
	// Files is private or shared. Default private.
	Files string `yaml:"files"`
	// HostTimeout is the processor time that the program may take between two calls. Default that of the
	// command.
	HostTimeout string `yaml:"host_timeout"`
	// Check lists faults to look for, as --check does. Default what the command says.
	Check string `yaml:"check"`
	// Strict ends the run with an error as --strict does. Default what the command says.
	Strict bool `yaml:"strict"`
	// Outside is what kernels read next to arrays: zero or error. Default what the command says.
	Outside string `yaml:"outside"`

	at strictyaml.Positions
}

// arguments is a list of words that may also be one text.
type arguments []string

// Short makes a list of one text.
func (a *arguments) Short() any {
	*a = arguments{""}
	return &(*a)[0]
}

// Takes completes the message on a mapping.
func (a *arguments) Takes() string { return "a list of words, or a text that is read as by a shell" }

var appFormat = strictyaml.Format{
	Noun:    "an application file",
	Start:   "an application file starts with program",
	Root:    "the application",
	AnyText: true,
}

// described opens the program that a file describes.
func described(spec, file, query string, hasQuery bool, o Options) (*workload.App, error) {
	values := map[string]string{"lower": ""}
	rules, err := rulesOf(spec, query, hasQuery, values, o)
	if err != nil {
		return nil, err
	}
	s, err := readAppFile(file)
	if err != nil {
		return nil, err
	}
	app, err := o.app(s, rules)
	if err != nil {
		return nil, unlessInput(spec, err)
	}
	app.Name = strings.TrimSuffix(filepath.Base(file), appSuffix)
	app.Files = append(app.Files, file)
	return app, nil
}

// readAppFile reads a file. An error names it and the line.
func readAppFile(file string) (s programs.Spec, err error) {
	data, err := appFormat.ReadFile(file)
	if err != nil {
		return s, err
	}
	doc, err := appFormat.Parse(file, data)
	if err != nil {
		return s, err
	}
	a := &appFile{Folder: ".", Files: string(programs.PrivateFiles), at: strictyaml.Positions{}}
	if err := doc.Decode(a, a.at); err != nil {
		return s, err
	}
	return a.spec(filepath.Dir(file))
}

// errorf makes an error for the value at a path.
func (a *appFile) errorf(path, format string, args ...any) error {
	return a.at.Nearest(path).Errorf("%s %s", path, fmt.Sprintf(format, args...))
}

// spec checks the values. folder is the file's.
func (a *appFile) spec(folder string) (s programs.Spec, err error) {
	under := func(path string) string {
		if filepath.IsAbs(path) {
			return path
		}
		return filepath.Join(folder, path)
	}
	if a.Program == "" {
		return s, a.errorf("program", "is missing; it takes the path of an executable that `cotenant cc` has made")
	}
	s = programs.Spec{Program: under(a.Program), Args: a.Args, Environment: a.Environment, Dir: under(a.Folder), Files: programs.Files(a.Files)}
	if _, listed := a.at["args[0]"]; len(a.Args) == 1 && !listed {
		if s.Args, err = words(a.Args[0]); err != nil {
			return s, a.errorf("args", "is not a line of words: %v", err)
		}
	}
	if err := s.Validate(); err != nil {
		path := "program"
		if s.Files != programs.PrivateFiles && s.Files != programs.SharedFiles {
			path = "files"
		}
		return s, a.errorf(path, "is wrong: %v", err)
	}
	for i, v := range a.Environment {
		if name, _, ok := strings.Cut(v, "="); !ok || name == "" {
			return s, a.errorf(fmt.Sprintf("environment[%d]", i), "is %q; it takes NAME=VALUE", v)
		}
	}
	if info, err := os.Stat(s.Dir); err != nil || !info.IsDir() {
		return s, a.errorf("folder", "is %s, which is no folder", s.Dir)
	}
	for i, path := range a.Reads {
		if info, err := os.Stat(under(path)); err != nil || !info.Mode().IsRegular() {
			return s, a.errorf(fmt.Sprintf("reads[%d]", i), "is %s, which is no file", under(path))
		}
		s.Reads = append(s.Reads, under(path))
	}
	if s.Strict = a.Strict; a.Check != "" {
		if s.Check, err = programs.ParseCheck(a.Check); err != nil {
			return s, a.errorf("check", "is wrong: %v", err)
		}
	}
	if a.Outside != "" {
		if s.OutsideIsZero, err = programs.ParseOutside(a.Outside); err != nil {
			return s, a.errorf("outside", "is %v", err)
		}
	}
	if a.HostTimeout != "" {
		if s.CPUTimeout, err = time.ParseDuration(a.HostTimeout); err != nil || s.CPUTimeout <= 0 {
			return s, a.errorf("host_timeout", "is %q; it takes a time above 0, such as 90s or 5m", a.HostTimeout)
		}
	}
	return s, nil
}
