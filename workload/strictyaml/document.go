// Package strictyaml reads YAML documents of the user into structs.
//
// It is stricter than yaml.v3's KnownFields, which cannot name the valid keys,
// reads 1.5 into an int as 1 and an empty value as 0. Every fault is a
// *workload.InputError that names file and line and says what would be valid,
// and every value's position is known afterwards, so that a check of its range
// can name the line too.
package strictyaml

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"cotenant/workload"
)

// MaxBytes is the size of the largest document, far above any that a person
// writes.
const MaxBytes = 1 << 20

// Format is a kind of document: how its messages speak, and what they allow.
type Format struct {
	// Noun is what a document is, with the article: "a profile".
	Noun string
	// Start tells the author of an empty document what to write.
	Start string
	// Root is what messages call the document as a whole: "the profile". With
	// none they do not say where an unknown key of the root is.
	Root string
	// Gone says, by the end of its path, why a key that documents could once have has
	// gone: "pipes.collectors" for sm.pipes.collectors.
	Gone map[string]string
	// AnyText lets text be given as any scalar but null: 3 is the text "3".
	AnyText bool
}

// List is a kind of document that holds a name and lists, as profiles and
// launch manifests do. noun comes with its article, root is what messages call
// the document, first are the keys that it starts with.
func List(noun, root, first string) Format {
	return Format{Noun: noun, Start: noun + " starts with " + first, Root: root, AnyText: true}
}

// Position is a line of a file. Line 0 is the file as a whole.
type Position struct {
	File string
	Line int
}

// Errorf makes a *workload.InputError for the position.
func (p Position) Errorf(format string, args ...any) error {
	return workload.Errorf(p.File, p.Line, format, args...)
}

// String writes file:line, or the file alone.
func (p Position) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}

// Positions says by path, as in sm.l1.sets or kernels[0].tbs, which line set a
// value last. The path of a whole document is empty.
type Positions map[string]Position

// Nearest is the position of a path's value or, if that was not set, of the
// nearest thing around it that was. It is zero if nothing was decoded.
func (p Positions) Nearest(path string) Position {
	for {
		if at, ok := p[path]; ok || path == "" {
			return at
		}
		path = path[:max(0, strings.LastIndexAny(path, ".["))]
	}
}

// Document is a YAML document that has been read but not decoded.
type Document struct {
	// Root is the document's value. Decode needs a mapping.
	Root *yaml.Node

	file   string
	format *Format
	taken  []string
}

// ReadFile reads a document of the kind. The error is a *workload.InputError.
func (f *Format) ReadFile(path string) ([]byte, error) {
	data, err := ReadFile(path)
	if err != nil {
		return nil, workload.Errorf(path, 0, "cannot be read: %v; give the path of %s", err, f.Noun)
	}
	return data, nil
}

// ReadFile reads a file of at most MaxBytes. Errors do not name it, as messages
// do so already.
func ReadFile(path string) (data []byte, err error) { return workload.ReadFile(path, MaxBytes) }

// Parse reads the one document in data. Messages call it file.
func (f *Format) Parse(file string, data []byte) (*Document, error) {
	whole := Position{File: file}
	if len(data) > MaxBytes {
		return nil, whole.Errorf("is larger than 1 MiB; %s is a short text", f.Noun)
	}
	reader := yaml.NewDecoder(bytes.NewReader(data))
	var first, second yaml.Node
	if err := reader.Decode(&first); errors.Is(err, io.EOF) {
		return nil, whole.Errorf("is empty; %s", f.Start)
	} else if err != nil {
		return nil, syntax(file, err)
	}
	if err := reader.Decode(&second); err == nil {
		return nil, Position{file, second.Line}.Errorf("a second document starts here; %s is one document", f.Noun)
	} else if !errors.Is(err, io.EOF) {
		return nil, syntax(file, err)
	}
	return &Document{Root: first.Content[0], file: file, format: f}, nil
}

// Option makes the document that sets one key to a YAML value. Its path is as in
// sm.l1.sets. Its positions have no line. Messages call it file.
func (f *Format) Option(file, path, value string) (*Document, error) {
	d, err := f.Parse(file, []byte(value))
	if err != nil {
		return nil, Position{File: file}.Errorf("%s is %s, which is not a value in YAML", path, value)
	}
	unplace(d.Root)
	keys := strings.Split(path, ".")
	for _, key := range slices.Backward(keys) {
		d.Root = &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{{Kind: yaml.ScalarNode, Value: key}, d.Root}}
	}
	return d, nil
}

// unplace takes the lines from a node and what it holds.
func unplace(node *yaml.Node) {
	node.Line = 0
	for _, n := range node.Content {
		unplace(n)
	}
}

var yamlLine = regexp.MustCompile(`line (\d+): (.*)`)

func syntax(file string, err error) error {
	at := Position{File: file}
	text, _, _ := strings.Cut(err.Error(), "\n")
	text = strings.TrimPrefix(text, "yaml: ")
	if m := yamlLine.FindStringSubmatch(text); m != nil {
		at.Line, _ = strconv.Atoi(m[1])
		text = m[2]
	} else if strings.HasPrefix(text, "did not find ") {
		at.Line = 1 // the library leaves out the first line
	}
	if strings.Contains(text, "expected ',' or ']'") {
		text += "; between [ and ] commas separate entries, and an entry with a ? or : in it takes quotes"
	}
	return at.Errorf("is not YAML: %s", text)
}

// At is the position of a node of the document.
func (d *Document) At(node *yaml.Node) Position { return Position{d.file, node.Line} }

// Take removes a key from the root, for the caller to interpret, and returns
// its value, nil if the root has no such key. Messages of Decode list it first
// among the valid keys. Where the key is given twice the second stays, for Decode
// to refuse.
func (d *Document) Take(key string) *yaml.Node {
	d.taken = append(d.taken, key)
	if d.Root.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i < len(d.Root.Content); i += 2 {
		if k := d.Root.Content[i]; k.Kind == yaml.ScalarNode && k.Value == key {
			value := d.Root.Content[i+1]
			d.Root.Content = append(d.Root.Content[:i:i], d.Root.Content[i+2:]...)
			return value
		}
	}
	return nil
}

// DecodeTaken decodes a value that Take has returned as Decode does, under the path of
// its key.
func (d *Document) DecodeTaken(value *yaml.Node, key string, out any, at Positions) error {
	return (&decoder{d, at}).value(value, reflect.ValueOf(out).Elem(), key)
}

// Entry is one key of a mapping with the user's own names as keys.
type Entry struct {
	Name string
	At   Position // of the name

	value *yaml.Node
	path  string
	doc   *Document
}

// Entries lists the keys of a mapping, such as Take returns, that lies at a
// path of the document.
func (d *Document) Entries(mapping *yaml.Node, path string) (list []Entry, err error) {
	if mapping.Kind != yaml.MappingNode {
		return nil, d.At(mapping).Errorf("%s is %s; it takes a mapping of names", path, describe(mapping))
	}
	for i := 0; i < len(mapping.Content); i += 2 {
		key := mapping.Content[i]
		e := Entry{key.Value, d.At(key), mapping.Content[i+1], path + "." + key.Value, d}
		if key.Kind != yaml.ScalarNode {
			return nil, e.At.Errorf("%s takes names as its keys", path)
		}
		if slices.ContainsFunc(list, func(o Entry) bool { return o.Name == e.Name }) {
			return nil, e.At.Errorf("%s is given twice; once is enough", e.path)
		}
		list = append(list, e)
	}
	return list, nil
}

// Decode writes the entry's value over what out points to, as Document.Decode
// does, under the entry's path.
func (e *Entry) Decode(out any, at Positions) error {
	return (&decoder{e.doc, at}).value(e.value, reflect.ValueOf(out).Elem(), e.path)
}

// Decode writes the document over the struct that out points to: a mapping key
// by key, so that what it leaves out keeps its value, anything else as a whole.
// It enters what it writes into at. After an error out is partly written.
//
// The key of a field is its yaml tag; a field without one, or with "-", has no
// key, and the keys of a struct with ",inline" are among the keys of the struct
// around it. Fields are bool, int, float64, string, a Text, a Keyed, or structs, slices
// and pointers of these; other types take no value.
func (d *Document) Decode(out any, at Positions) error {
	return (&decoder{d, at}).value(d.Root, reflect.ValueOf(out).Elem(), "")
}
