package source

import (
	"errors"
	"fmt"
	"strings"

	"cotenant/workload"
	"cotenant/workload/programs"
	"cotenant/workload/ptx/sass"
)

// programOptions are the options of a CUDA program.
const programOptions = "args=WORD WORD ..., folder=FOLDER, files=private|shared, lower=-RULE,..."

// IsProgram says whether an application is a CUDA program or its recorded calls, which see the
// GPU's capability and the size of its memory.
func IsProgram(spec string) bool {
	name, _, _ := strings.Cut(spec, "?")
	kind, _, _ := strings.Cut(name, ":")
	return kind == "cuda" || kind == "capture" || strings.HasSuffix(name, appSuffix)
}

// program opens a CUDA program.
func program(spec, name, query string, hasQuery bool, o Options) (*workload.App, error) {
	values := map[string]string{"args": "", "folder": "", "files": string(programs.PrivateFiles), "lower": ""}
	rules, err := rulesOf(spec, query, hasQuery, values, o)
	if err != nil {
		return nil, err
	}
	args, err := words(values["args"])
	if err != nil {
		return nil, fmt.Errorf("application %q: args: %w", spec, err)
	}
	app, err := o.app(programs.Spec{Program: name, Args: args, Dir: values["folder"], Files: programs.Files(values["files"])}, rules)
	return app, unlessInput(spec, err)
}

// capture opens the recorded calls of a program.
func capture(spec, name, query string, hasQuery bool, o Options) (*workload.App, error) {
	values := map[string]string{"lower": ""}
	rules, err := rulesOf(spec, query, hasQuery, values, o)
	if err != nil {
		return nil, err
	}
	s := programs.Spec{Program: name}
	o.complete(&s)
	app, err := programs.CaptureApp(s, o.Target, rules)
	return app, unlessInput(spec, err)
}

// app opens a program on the GPU of the options, with the checks that they ask for.
func (o *Options) app(s programs.Spec, rules sass.Options) (*workload.App, error) {
	o.complete(&s)
	if s.CPUTimeout == 0 {
		s.CPUTimeout = o.HostTimeout
	}
	return programs.App(s, o.Target, rules)
}

// complete adds the GPU, and the checks of the options to a program's own.
func (o *Options) complete(s *programs.Spec) {
	s.Tenant, s.MemoryLimit = o.Tenant, o.memoryLimit
	s.Device, s.CheckAsync = o.device(), o.CheckAsync
	s.Check.Uninitialized = s.Check.Uninitialized || o.Check.Uninitialized
	s.Check.Races = s.Check.Races || o.Check.Races
	s.Strict = s.Strict || o.Strict
	s.OutsideIsZero = s.OutsideIsZero || o.OutsideIsZero
}

// device is the GPU as a program sees it, also where there is no run, as when a sweep reads its inputs.
func (o *Options) device() programs.Device {
	if o.Device.SMs == 0 {
		return programs.Emulator
	}
	return o.Device
}

// rulesOf reads an application's options into values, and returns its rules that lower PTX.
func rulesOf(spec, query string, hasQuery bool, values map[string]string, o Options) (sass.Options, error) {
	if err := readOptions(spec, query, hasQuery, values); err != nil {
		return sass.Options{}, err
	}
	return lowering(spec, values["lower"], o)
}

// lowering reads the choice among rules that lower PTX.
func lowering(spec, list string, o Options) (sass.Options, error) {
	rules := sass.For(o.Target)
	if list == "" {
		return rules, nil
	}
	rules, err := sass.ParseOptions(list, rules)
	if err != nil {
		return rules, fmt.Errorf("application %q: lower: %w", spec, err)
	}
	return rules, nil
}

// words takes a line of arguments apart as a shell does: at spaces, but not in quotes; a backslash keeps
// what follows it.
func words(line string) (list []string, err error) {
	var word strings.Builder
	inside, begun, escaped := rune(0), false, false
	for _, c := range line {
		switch {
		case escaped:
			word.WriteRune(c)
			escaped = false
		case c == '\\' && inside != '\'':
			escaped, begun = true, true
		case c == inside:
			inside = 0
		case inside == 0 && (c == '"' || c == '\''):
			inside, begun = c, true
		case inside == 0 && c == ' ':
			if begun {
				list = append(list, word.String())
				word.Reset()
				begun = false
			}
		default:
			word.WriteRune(c)
			begun = true
		}
	}
	if inside != 0 || escaped {
		return nil, errors.New("a quote or a backslash has no end; valid: words as a shell reads them")
	}
	if begun {
		list = append(list, word.String())
	}
	return list, nil
}
