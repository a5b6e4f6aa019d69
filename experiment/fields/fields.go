// Package fields finds any number or text of runs' results by its name in the JSON form:
// counters of the GPU, of each tenant and of each launch, without a list of them in the
// program.
package fields

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cotenant/experiment"
)

// None is the number of a tenant or a launch for a field that is of none.
const None = -1

// Field is a number, a text, a truth value or nil in a result.
type Field struct {
	Tenant, Launch int // whose it is; None for the run's, and for a tenant's
	// Name joins the names in the JSON form by points: kernels.0.l1.hits is l1.hits of tenant
	// 0, stats.sm.tenants.0.l1_hits stats.sm.l1_hits of tenant 0, and kernels.0.launches.2.tbs
	// is tbs of its launch 2.
	Name  string
	Value any // float64, string, bool or nil
}

// Of lists the fields of a result in the JSON form, in its order. An error says what is
// wrong and what would be valid.
func Of(text []byte) (list []Field, err error) {
	var head struct {
		Schema  int
		Kernels []struct{}
	}
	if bytes.HasPrefix(text, []byte("SQLite format 3\x00")) {
		return nil, errors.New("a store of runs, not the result of one; valid: a file that run --json wrote; report sweep and query read stores")
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, fmt.Errorf("not the result of a run: %w; valid: a file that run --json wrote", err)
	}
	if head.Schema != experiment.Schema || len(head.Kernels) == 0 {
		return nil, fmt.Errorf("not the result of a run with schema %d; valid: a file that run --json of this program wrote", experiment.Schema)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	return list, walk(d, nil, func(path []string, value any) { list = append(list, place(path, value)) })
}

// walk visits the next value, and what is in it.
func walk(d *json.Decoder, path []string, visit func(path []string, value any)) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	delimiter, inner := token.(json.Delim)
	if !inner {
		visit(path, token)
		return nil
	}
	for i := 0; d.More(); i++ {
		name := strconv.Itoa(i)
		if delimiter == '{' {
			key, err := d.Token()
			if err != nil {
				return err
			}
			name = key.(string)
		}
		if err := walk(d, append(slices.Clip(path), name), visit); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}

// place makes a field of a path.
func place(path []string, value any) Field {
	f := Field{Tenant: None, Launch: None, Value: value}
	number := func(at int) int { n, _ := strconv.Atoi(path[at]); return n } // an index of walk
	switch at := slices.Index(path, "tenants"); {
	case len(path) > 2 && path[0] == "kernels":
		f.Tenant, path = number(1), path[2:]
		if len(path) > 2 && path[0] == "launches" {
			f.Launch, path = number(1), path[2:]
		}
	case at > 0 && at+2 < len(path) && (path[0] == "stats" || path[0] == "blocks"):
		f.Tenant = number(at + 1)
		path = slices.Concat(path[:at], path[at+2:])
	}
	f.Name = strings.Join(path, ".")
	return f
}
