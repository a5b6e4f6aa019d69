package golden

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// passing are fields that differ between two runs of one command or two builds
// of one program.
var passing = []string{"wall_seconds", "isolated_wall_seconds", "version", "config_hash"}

// keys are paths of fields, such as kernels[].l1.hits.
type keys map[string]bool

func readKeys(t *testing.T, file string) keys {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err, "-update makes the file")
	k := keys{}
	for path := range strings.FieldsSeq(string(text)) {
		k[path] = true
	}
	return k
}

func (k keys) write(t *testing.T, file string) {
	t.Helper()
	require.NoError(t, os.WriteFile(file, []byte(strings.Join(slices.Sorted(maps.Keys(k)), "\n")+"\n"), 0o644))
}

// collect adds the paths of a value, which stands at one itself.
func (k keys) collect(path string, value any) {
	switch value := value.(type) {
	case map[string]any:
		for name, v := range value {
			k[field(path, name)] = true
			k.collect(field(path, name), v)
		}
	case []any:
		for _, v := range value {
			k.collect(path+"[]", v)
		}
	}
}

// filter is a value without fields that are not among the keys. It adds to
// missing the paths of fields that are, and which their object lacks.
func (k keys) filter(path string, value any, missing keys) any {
	switch value := value.(type) {
	case map[string]any:
		known := map[string]any{}
		for name, v := range value {
			if k[field(path, name)] {
				known[name] = k.filter(field(path, name), v, missing)
			}
		}
		for wanted := range k {
			name, below := strings.CutPrefix(wanted, field(path, ""))
			if _, there := known[name]; below && !there && !strings.ContainsAny(name, ".[") {
				missing[wanted] = true
			}
		}
		return known
	case []any:
		list := make([]any, len(value))
		for i, v := range value {
			list[i] = k.filter(path+"[]", v, missing)
		}
		return list
	}
	return value
}

func field(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// decode reads a result without what passes. Numbers keep their digits.
func decode(text []byte) (map[string]any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var result map[string]any
	if err := d.Decode(&result); err != nil {
		return nil, err
	}
	for _, name := range passing {
		delete(result, name)
	}
	return result, nil
}

// hashed is the start of the SHA-256 of a result's fields, in order of their
// names.
func hashed(result any) (string, error) {
	text, err := json.Marshal(result)
	return fmt.Sprintf("%x", sha256.Sum256(text))[:16], err
}

// differences are the paths at which two values differ, with both values.
func differences(path string, want, got any) []string {
	switch want := want.(type) {
	case map[string]any:
		if got, ok := got.(map[string]any); ok {
			var list []string
			for _, name := range slices.Sorted(maps.Keys(want)) {
				list = append(list, differences(field(path, name), want[name], got[name])...)
			}
			return list
		}
	case []any:
		if got, ok := got.([]any); ok && len(got) == len(want) {
			var list []string
			for i := range want {
				list = append(list, differences(fmt.Sprintf("%s[%d]", path, i), want[i], got[i])...)
			}
			return list
		}
	}
	if w, g := fmt.Sprint(want), fmt.Sprint(got); w != g {
		return []string{fmt.Sprintf("%s: %s is now %s", path, w, g)}
	}
	return nil
}

func TestFieldsAddedDoNotCountAndFieldsLostAreNamed(t *testing.T) {
	k := keys{}
	normal := func(text string) (string, []string) {
		result, err := decode([]byte(text))
		require.NoError(t, err)
		missing := keys{}
		normal, err := json.Marshal(k.filter("", result, missing))
		require.NoError(t, err)
		return string(normal), slices.Sorted(maps.Keys(missing))
	}
	const recorded = `{"cycles":10,"sms":[{"id":0,"l1":{"hits":1.50}},{"id":1,"l1":{"hits":2}}]}`
	result, err := decode([]byte(recorded))
	require.NoError(t, err)
	k.collect("", result)
	assert.Equal(t, []string{"cycles", "sms", "sms[].id", "sms[].l1", "sms[].l1.hits"}, slices.Sorted(maps.Keys(k)))

	text, missing := normal(`{"config_hash":"a","wall_seconds":1,"sms":[{"l1":{"hits":1.50,"new":1},"id":0,"kind":"big"},{"id":1,"l1":{"hits":2}}],"cycles":10,"cyclesnew":3}`)
	assert.Equal(t, []any{recorded, []string(nil)}, []any{text, missing})

	_, missing = normal(`{"sms":[{"id":0,"l1":{}},{"l1":{"hits":2}}]}`)
	assert.Equal(t, []string{"cycles", "sms[].id", "sms[].l1.hits"}, missing)
	_, missing = normal(`{"cycles":10,"sms":[]}`)
	assert.Empty(t, missing, "no SM, no field of one")

	changed, err := decode([]byte(`{"cycles":10,"sms":[{"id":0,"l1":{"hits":1.5}},{"id":2}]}`))
	require.NoError(t, err)
	assert.Equal(t, []string{"sms[0].l1.hits: 1.50 is now 1.5", "sms[1].id: 1 is now 2", "sms[1].l1: map[hits:2] is now <nil>"}, differences("", result, changed))
}
