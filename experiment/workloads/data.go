package workloads

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"cotenant/experiment"
	"cotenant/platform/wiring"
	"cotenant/workload/kernels"
)

// Data is what was measured of all built-in applications at one size.
type Data struct {
	GPU  string `json:"gpu"`
	Size string `json:"size"`
	// Least is the least number of core cycles of a run.
	Least uint64 `json:"least_cycles"`
	// Inputs identifies the GPU's parameters and the applications.
	Inputs string `json:"inputs"`
	Apps   []*App `json:"apps"`
}

// measure is Measure, but in tests of panics.
var measure = Measure

// MeasureAll measures every built-in application, as many at a time as there
// are processors. done, which may be nil, is told the name of each that is
// finished.
func MeasureAll(ctx context.Context, gpu *wiring.Config, size string, least uint64, done func(app string)) (*Data, error) {
	inputs, err := Inputs(gpu)
	if err != nil {
		return nil, err
	}
	names := kernels.Names()
	d := &Data{GPU: gpu.Name, Size: size, Least: least, Inputs: inputs, Apps: make([]*App, len(names))}
	return d, experiment.InParallel(ctx, 0, names, func(ctx context.Context, name string) (err error) {
		i := slices.Index(names, name)
		if d.Apps[i], err = measure(ctx, gpu, name, size, least); err == nil && done != nil {
			done(name)
		}
		return err
	})
}

// Inputs identifies a GPU's parameters and the built-in applications: it
// changes with any of them.
func Inputs(gpu *wiring.Config) (string, error) {
	text, err := json.Marshal(gpu)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	sum.Write(text)
	if err := kernels.WriteSources(sum); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)[:8]), nil
}

// Write writes the data as the package keeps them.
func (d *Data) Write(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(d)
}

// kept has what `cotenant report workloads --data` wrote, one file for each
// size.
//
//go:embed data/*.json
var kept embed.FS

// Kept returns the data that are kept for a size. An error lists the sizes.
func Kept(size string) (*Data, error) {
	text, err := kept.ReadFile("data/" + size + ".json")
	if err != nil {
		var sizes []string
		entries, _ := kept.ReadDir("data")
		for _, e := range entries {
			sizes = append(sizes, strings.TrimSuffix(e.Name(), ".json"))
		}
		return nil, fmt.Errorf("nothing was measured at size %q; valid: %s", size, strings.Join(sizes, ", "))
	}
	d := &Data{}
	return d, json.Unmarshal(text, d)
}
