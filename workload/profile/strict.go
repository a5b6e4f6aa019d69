package profile

import (
	"bytes"
	"encoding"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"cotenant/workload"
)

// decoder fills a struct from a YAML document and remembers the line of every
// value. It is stricter than yaml.v3's KnownFields, which cannot name the valid
// keys, reads 1.5 into an int as 1 and an empty value as 0.
type decoder struct {
	file  string
	lines map[string]int // by path, as in kernels[0].tbs
}

// defaulter is a type whose fields have a value when their key is left out.
type defaulter interface{ setDefaults() }

var yamlLine = regexp.MustCompile(`line (\d+): (.*)`)

// decode reads the one document in data into the struct that out points to.
func (d *decoder) decode(data []byte, out any) error {
	reader := yaml.NewDecoder(bytes.NewReader(data))
	var doc, second yaml.Node
	if err := reader.Decode(&doc); errors.Is(err, io.EOF) {
		return d.errorf(0, "is empty; a profile starts with name and kernels")
	} else if err != nil {
		return d.syntax(err)
	}
	if err := reader.Decode(&second); err == nil {
		return d.errorf(second.Line, "a second document starts here; a profile is one document")
	} else if !errors.Is(err, io.EOF) {
		return d.syntax(err)
	}
	return d.value(doc.Content[0], reflect.ValueOf(out).Elem(), "")
}

func (d *decoder) syntax(err error) error {
	text, _, _ := strings.Cut(err.Error(), "\n")
	if m := yamlLine.FindStringSubmatch(text); m != nil {
		line, _ := strconv.Atoi(m[1])
		return d.errorf(line, "is not YAML: %s", m[2])
	}
	return d.errorf(0, "is not YAML: %s", strings.TrimPrefix(text, "yaml: "))
}

func (d *decoder) errorf(line int, format string, args ...any) error {
	return workload.Errorf(d.file, line, format, args...)
}

func (d *decoder) value(node *yaml.Node, out reflect.Value, path string) error {
	d.lines[path] = node.Line
	if node.Kind == yaml.AliasNode {
		return d.errorf(node.Line, "%s is an alias; write the value out", describe(path))
	}
	if out.Kind() == reflect.Pointer {
		out.Set(reflect.New(out.Type().Elem()))
		out = out.Elem()
	}
	if v, ok := out.Addr().Interface().(defaulter); ok {
		v.setDefaults()
	}
	switch out.Kind() {
	case reflect.Struct:
		return d.mapping(node, out, path)
	case reflect.Slice:
		return d.sequence(node, out, path)
	}
	return d.scalar(node, out, path)
}

func (d *decoder) mapping(node *yaml.Node, out reflect.Value, path string) error {
	keys := keysOf(out.Type())
	if node.Kind != yaml.MappingNode {
		return d.errorf(node.Line, "%s is not a mapping; valid keys: %s", describe(path), strings.Join(keys, ", "))
	}
	seen := make([]bool, len(keys))
	for i := 0; i < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		field := -1
		for k, name := range keys {
			if key.Kind == yaml.ScalarNode && key.Value == name {
				field = k
			}
		}
		if field < 0 {
			return d.errorf(key.Line, "unknown key %q in %s; valid keys: %s", key.Value, describe(path), strings.Join(keys, ", "))
		}
		if seen[field] {
			return d.errorf(key.Line, "%s is given twice; once is enough", join(path, key.Value))
		}
		seen[field] = true
		if err := d.value(value, out.Field(field), join(path, key.Value)); err != nil {
			return err
		}
	}
	return nil
}

func (d *decoder) sequence(node *yaml.Node, out reflect.Value, path string) error {
	if node.Kind != yaml.SequenceNode {
		return d.errorf(node.Line, "%s is not a list; write each entry after a dash", describe(path))
	}
	out.Set(reflect.MakeSlice(out.Type(), len(node.Content), len(node.Content)))
	for i, entry := range node.Content {
		if err := d.value(entry, out.Index(i), fmt.Sprintf("%s[%d]", path, i)); err != nil {
			return err
		}
	}
	return nil
}

func (d *decoder) scalar(node *yaml.Node, out reflect.Value, path string) error {
	tag := node.ShortTag()
	want := ""
	if text, ok := out.Addr().Interface().(encoding.TextUnmarshaler); ok {
		if node.Kind != yaml.ScalarNode || text.UnmarshalText([]byte(node.Value)) != nil {
			want = "a number of bytes, such as 65536, 64KiB or 2MiB"
		}
	} else {
		switch out.Kind() {
		case reflect.String:
			out.SetString(node.Value)
			if node.Kind != yaml.ScalarNode || tag == "!!null" {
				want = "text"
			}
		case reflect.Int:
			if tag != "!!int" || node.Decode(out.Addr().Interface()) != nil {
				want = "a whole number"
			}
		case reflect.Float64:
			if tag != "!!int" && tag != "!!float" || node.Decode(out.Addr().Interface()) != nil {
				want = "a number"
			}
		}
	}
	if want == "" {
		return nil
	}
	is := strconv.Quote(node.Value)
	if node.Kind != yaml.ScalarNode {
		is = "a mapping or a list"
	} else if node.Value == "" {
		is = "empty"
	}
	return d.errorf(node.Line, "%s is %s; it takes %s", path, is, want)
}

// line is the line of a path's value, or of the nearest thing around it that
// the file holds.
func (d *decoder) line(path string) int {
	for {
		if line, ok := d.lines[path]; ok || path == "" {
			return line
		}
		path = path[:max(0, strings.LastIndexAny(path, ".["))]
	}
}

func keysOf(t reflect.Type) []string {
	keys := make([]string, t.NumField())
	for i := range keys {
		keys[i] = t.Field(i).Tag.Get("yaml")
	}
	return keys
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

func describe(path string) string {
	if path == "" {
		return "the profile"
	}
	return path
}

// Bytes is a size. In YAML it is a whole number, or a number with one of the
// suffixes KiB, MiB and GiB.
type Bytes int64

var suffixes = []struct {
	text string
	size int64
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}}

// UnmarshalText reads a size.
func (b *Bytes) UnmarshalText(text []byte) error {
	number, unit := string(text), int64(1)
	for _, s := range suffixes {
		if before, ok := strings.CutSuffix(number, s.text); ok {
			number, unit = before, s.size
			break
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return err
	}
	if n > math.MaxInt64/unit || n < math.MinInt64/unit {
		return strconv.ErrRange
	}
	*b = Bytes(n * unit)
	return nil
}

// String writes the size with the largest suffix that leaves a whole number.
func (b Bytes) String() string {
	for _, s := range suffixes {
		if b != 0 && int64(b)%s.size == 0 {
			return strconv.FormatInt(int64(b)/s.size, 10) + s.text
		}
	}
	return strconv.FormatInt(int64(b), 10)
}
