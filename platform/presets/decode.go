package presets

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"cotenant/workload"
)

// position is a place in an input file.
type position struct {
	file string
	line int
}

func (p position) errorf(format string, args ...any) error {
	return workload.Errorf(p.file, p.line, format, args...)
}

// decoder writes YAML documents over a struct, one over the other, and
// remembers which of them set each value last. It is stricter than yaml.v3's
// KnownFields, which cannot name the valid keys, reads 1.5 into an int as 1 and
// an empty value as 0.
type decoder struct {
	set map[string]position // by path, as in sm.l1.sets
}

// extendsKey is the key of a document that names another to start from.
const extendsKey = "extends"

var yamlLine = regexp.MustCompile(`line (\d+): (.*)`)

// parse reads the one document in data, which must be a mapping, and takes the
// value of extends out of it; nil if it has none.
func parse(file string, data []byte) (root, extends *yaml.Node, err error) {
	reader := yaml.NewDecoder(bytes.NewReader(data))
	var doc, second yaml.Node
	if err := reader.Decode(&doc); errors.Is(err, io.EOF) {
		return nil, nil, position{file: file}.errorf("is empty; a GPU is a mapping, such as extends: gtx980 and fields that differ")
	} else if err != nil {
		return nil, nil, syntax(file, err)
	}
	if err := reader.Decode(&second); err == nil {
		return nil, nil, position{file, second.Line}.errorf("a second document starts here; a GPU is one document")
	} else if !errors.Is(err, io.EOF) {
		return nil, nil, syntax(file, err)
	}
	root = doc.Content[0]
	if root.Kind != yaml.MappingNode {
		return nil, nil, position{file, root.Line}.errorf("is not a mapping of keys to values; valid: extends: gtx980 and fields that differ")
	}
	for i := 0; i < len(root.Content); i += 2 {
		if root.Content[i].Value != extendsKey {
			continue
		}
		extends = root.Content[i+1]
		if extends.Kind != yaml.ScalarNode || extends.ShortTag() != "!!str" || extends.Value == "" {
			return nil, nil, position{file, extends.Line}.errorf("extends must be the name of a preset or the path of a YAML file")
		}
		// A second extends stays, and is an unknown key.
		root.Content = append(root.Content[:i:i], root.Content[i+2:]...)
		break
	}
	return root, extends, nil
}

func syntax(file string, err error) error {
	text, _, _ := strings.Cut(err.Error(), "\n")
	if m := yamlLine.FindStringSubmatch(text); m != nil {
		line, _ := strconv.Atoi(m[1])
		return position{file, line}.errorf("is not YAML: %s", m[2])
	}
	return position{file: file}.errorf("is not YAML: %s", strings.TrimPrefix(text, "yaml: "))
}

// value writes a node over out: key by key if it is a mapping, as a whole if
// not.
func (d *decoder) value(file string, node *yaml.Node, out reflect.Value, path string) error {
	at := position{file, node.Line}
	d.set[path] = at
	if node.Kind == yaml.AliasNode {
		return at.errorf("%s is an alias; write the value out", path)
	}
	switch out.Kind() {
	case reflect.Struct:
		return d.mapping(file, node, out, path)
	case reflect.Slice:
		if node.Kind != yaml.SequenceNode {
			return at.errorf("%s is %s; it takes a list, such as [16384, 49152]", path, describe(node))
		}
		list := reflect.MakeSlice(out.Type(), len(node.Content), len(node.Content))
		for i, entry := range node.Content {
			if err := d.value(file, entry, list.Index(i), fmt.Sprintf("%s[%d]", path, i)); err != nil {
				return err
			}
		}
		out.Set(list)
		return nil
	}
	want := kinds[out.Kind()]
	if node.Kind != yaml.ScalarNode || node.ShortTag() != want.tag || node.Decode(out.Addr().Interface()) != nil {
		return at.errorf("%s is %s; it takes %s", path, describe(node), want.text)
	}
	return nil
}

// kinds are the scalars of a configuration: their YAML tag and description.
var kinds = map[reflect.Kind]struct{ tag, text string }{
	reflect.Bool:   {"!!bool", "true or false"},
	reflect.Int:    {"!!int", "a whole number"},
	reflect.String: {"!!str", "text"},
}

func (d *decoder) mapping(file string, node *yaml.Node, out reflect.Value, path string) error {
	keys := map[string]int{}
	var valid []string
	for i := range out.NumField() {
		if key := out.Type().Field(i).Tag.Get("yaml"); key != "" && key != "-" {
			keys[key] = i
			valid = append(valid, key)
		}
	}
	where, prefix := " in "+path, path+"."
	if path == "" {
		where, prefix = "", ""
		valid = append([]string{extendsKey}, valid...)
	}
	list := strings.Join(valid, ", ")
	if node.Kind != yaml.MappingNode {
		return position{file, node.Line}.errorf("%s is %s; it takes the keys %s", path, describe(node), list)
	}
	seen := map[int]bool{}
	for i := 0; i < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		field, ok := keys[key.Value]
		if !ok || key.Kind != yaml.ScalarNode {
			return position{file, key.Line}.errorf("unknown key %q%s; valid: %s", key.Value, where, list)
		}
		if seen[field] {
			return position{file, key.Line}.errorf("%s%s is given twice; once is enough", prefix, key.Value)
		}
		seen[field] = true
		if err := d.value(file, value, out.Field(field), prefix+key.Value); err != nil {
			return err
		}
	}
	return nil
}

// describe says what a value of the wrong kind is.
func describe(node *yaml.Node) string {
	switch {
	case node.Kind == yaml.MappingNode:
		return "a mapping"
	case node.Kind == yaml.SequenceNode:
		return "a list"
	case node.Value == "":
		return "empty"
	}
	return strconv.Quote(node.Value)
}
