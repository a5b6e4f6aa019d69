// Package presets holds the GPUs that come with the program, and reads the user's.
//
// A configuration is a YAML document with the fields of wiring.Config and of the Specs in
// it as keys; plain16.yaml shows them with their meaning. A document may start from
// another:
//
//	extends: gtx980     # a preset, or the path of a file, relative to this one
//	sms: 8              # and then only what differs
//	sm: {l1: {ways: 12}}
//
// Mappings are merged key by key, lists are replaced. Name and about are not
// taken over; a document's name is by default that of its file.
//
// A GPU may have SMs of several kinds. sm describes kind base; sm_kinds names further
// kinds and says in what they differ from sm; sms lists how many SMs there are of each
// kind, in the order of their numbers:
//
//	sm_kinds:
//	  big: {registers: 49152, threads: 2304}
//	sms: [{count: 4, kind: big}, {count: 8, kind: base}]
//
// Fields may also be set behind a GPU's name or file, as in
// k20c?host.pcie.scheduler=npq&sms=8. All of that is then the GPU's name, unless an option
// sets name.
package presets

import (
	"embed"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"cotenant/options"
	"cotenant/platform/wiring"
	"cotenant/workload"
	"cotenant/workload/strictyaml"
)

//go:embed *.yaml
var files embed.FS

// Names lists the presets in alphabetical order.
func Names() []string {
	entries, _ := files.ReadDir(".")
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), ".yaml")
	}
	slices.Sort(names)
	return names
}

// Load returns a GPU by the name of a preset, or by the path of a YAML file: a
// path has a separator or ends in .yaml or .yml. Either may be followed by
// options: ?KEY=VALUE&KEY=VALUE. A fault in a file is a *workload.InputError that
// names file and line; any other error says that there is no such preset and lists the
// presets, or what is wrong with an option.
func Load(ref string) (*wiring.Config, error) {
	c, _, err := LoadWithFiles(ref)
	return c, err
}

// LoadWithFiles is Load, and also returns the paths of the files that it has read: of a
// GPU that is no preset, and of the files that it extends.
func LoadWithFiles(ref string) (c *wiring.Config, read []string, err error) {
	nameOrFile, given, err := cut(ref)
	if err != nil {
		return nil, nil, err
	}
	top, err := find(nameOrFile, "")
	if err != nil {
		return nil, nil, err
	}
	data, err := top.read()
	if err != nil {
		return nil, nil, workload.Errorf(top.name, 0, "cannot be read: %v; give the path of a YAML file that describes a GPU", err)
	}
	l := loader{config: &wiring.Config{}, at: strictyaml.Positions{}}
	err = l.make(top, data, ref, given)
	if fault := (*workload.InputError)(nil); errors.As(err, &fault) && given != nil && (top.preset || fault.File == ref) {
		err = fmt.Errorf("GPU %q: %s", ref, fault.Msg)
	}
	if err != nil {
		return nil, nil, err
	}
	for _, s := range l.open {
		if !s.preset && s.file != "" {
			read = append(read, s.file)
		}
	}
	return l.config, read, nil
}

// make makes the GPU that a document describes, and the options of the
// reference to it change, if it has any.
func (l *loader) make(top source, data []byte, ref string, given []options.Option) error {
	if err := l.load(top, data); err != nil {
		return err
	}
	if given != nil {
		if err := l.set(ref, given); err != nil {
			return err
		}
	}
	if err := l.makeKinds(); err != nil {
		return err
	}
	if err := l.config.Validate(); err != nil {
		return l.locate(top, err)
	}
	if err := l.config.PlaceInstances(); err != nil {
		return l.locate(top, err)
	}
	return nil
}

// source is where a document is read from.
type source struct {
	name   string // in messages
	file   string // path in the presets if preset is set, else in the file system
	preset bool
	id     string // the same for two sources that are one file
}

// find resolves a reference from a file in the given folder.
func find(ref, folder string) (source, error) {
	if !strings.ContainsAny(ref, `/\`) && filepath.Ext(ref) != ".yaml" && filepath.Ext(ref) != ".yml" {
		if !slices.Contains(Names(), ref) {
			return source{}, fmt.Errorf("unknown preset %q; valid: %s, or the path of a .yaml file", ref, strings.Join(Names(), ", "))
		}
		return source{name: "preset " + ref, file: ref + ".yaml", preset: true, id: ref}, nil
	}
	if !filepath.IsAbs(ref) {
		ref = filepath.Join(folder, ref)
	}
	id, err := filepath.Abs(ref)
	if err != nil {
		id = ref
	}
	if resolved, err := filepath.EvalSymlinks(id); err == nil {
		id = resolved
	}
	return source{name: ref, file: ref, id: id}, nil
}

// read returns the text of a source. Its errors do not name it.
func (s source) read() ([]byte, error) {
	if s.preset {
		return files.ReadFile(s.file)
	}
	return strictyaml.ReadFile(s.file)
}

// loader builds a configuration from a document and the documents that it extends.
type loader struct {
	config *wiring.Config
	at     strictyaml.Positions // of the values in config, across documents
	open   []source             // the documents being read, each extended by the one before
	kinds  []strictyaml.Entry   // what documents say of kinds of SMs, the last one has the last word
}

// load writes a document over the configuration, after the document that it extends.
func (l *loader) load(s source, data []byte) error {
	doc, extends, err := parse(s.name, data)
	if err != nil {
		return err
	}
	l.open = append(l.open, s)
	if extends != nil {
		if err := l.extend(doc.At(extends), extends.Value, filepath.Dir(s.file)); err != nil {
			return err
		}
	}
	l.config.About = ""
	l.config.Name = strings.TrimSuffix(filepath.Base(s.file), filepath.Ext(s.file))
	return l.decode(doc)
}

// extend loads the document that another refers to.
func (l *loader) extend(at strictyaml.Position, ref, folder string) error {
	base, err := find(ref, folder)
	if err != nil {
		return at.Errorf("extends: %v", err)
	}
	if slices.ContainsFunc(l.open, func(o source) bool { return o.id == base.id && o.preset == base.preset }) {
		return at.Errorf("extends: %q extends itself; a chain must end in a file that extends nothing", ref)
	}
	data, err := base.read()
	if err != nil {
		return at.Errorf("extends: %q cannot be read: %v; valid: a preset, or the path of a YAML file relative to this one", ref, err)
	}
	return l.load(base, data)
}

var fieldPath = regexp.MustCompile(`^[a-z0-9_]+(\[[0-9]+\]|\.[a-z0-9_]+)*`)

// locate gives an error of Validate the file and line that set the offending field, or the
// whole file asked for if a preset set the field or nothing did.
func (l *loader) locate(top source, err error) error {
	path := fieldPath.FindString(err.Error())
	at, ok := l.at[path]
	if !ok && (strings.HasPrefix(path, kindsKey+".") || strings.HasPrefix(path, "sms[") || strings.HasPrefix(path, "mig")) {
		// What the kind has from sm, or the list's entry leaves out.
		at, ok = l.at.Nearest(path), true
	}
	if ok && slices.ContainsFunc(l.open, func(s source) bool { return s.name == at.File && (!s.preset || s == top) }) {
		return at.Errorf("%v", err)
	}
	if !ok {
		return workload.Errorf(top.name, 0, "%v (it is not set: a file that leaves out fields must extend a preset)", err)
	}
	return workload.Errorf(top.name, 0, "%v", err)
}
