package sweep

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"time"

	"cotenant/experiment"
)

// Order lets a process without the plan make a run. Paths are relative to the folder in
// which the sweep was begun.
type Order struct {
	Key string          `json:"key"`
	Run experiment.Spec `json:"run"`
	// Needs has an entry for each application, none if the run shows itself what its
	// application achieves alone.
	Needs []Need `json:"needs,omitempty"`
	// ConfigHash is the result's.
	ConfigHash string `json:"config_hash"`
	Files      []File `json:"files,omitempty"` // must be unchanged
}

// Need is an application of a mix, and the runs that show what it achieves alone.
type Need struct {
	App   string `json:"app"`
	Alone string `json:"alone"`           // the key of its run alone
	Whole string `json:"whole,omitempty"` // that of its run to the end, if a goal needs it
}

// File is a file as it was when the sweep read it.
type File struct {
	Path    string    `json:"path"`
	SHA256  string    `json:"sha256"`
	Bytes   int64     `json:"bytes"`
	Changed time.Time `json:"changed"`
}

// Order is the order for a job.
func (p *Plan) Order(j *Job) *Order {
	o := &Order{Key: j.Key, Run: j.Spec, ConfigHash: j.hash}
	for i, alone := range j.isolated {
		need := Need{App: alone.Apps[0], Alone: alone.Key}
		if whole := j.whole[i]; whole != nil {
			need.Whole = whole.Key
		}
		o.Needs = append(o.Needs, need)
	}
	for _, path := range j.files {
		was := p.inputs.files[path]
		o.Files = append(o.Files, File{path, was.sha256, was.bytes, was.changed})
	}
	return o
}

// Needed lists the runs alone that a job waits for.
func (j *Job) Needed() (list []*Job) {
	for i, alone := range j.isolated {
		list = append(list, alone)
		if whole := j.whole[i]; whole != nil {
			list = append(list, whole)
		}
	}
	return list
}

// Isolated lists the figures of each application alone, looked up by the key of its run.
func (o *Order) Isolated(of func(key string) (experiment.Isolated, bool)) (list []experiment.Isolated, err error) {
	for _, need := range o.Needs {
		x, ok := of(need.Alone)
		if !ok {
			return nil, fmt.Errorf("%s has no isolated IPC: its run alone failed", need.App)
		}
		if x.Instructions == 0 && need.Whole != "" {
			whole, _ := of(need.Whole)
			if x.Instructions = whole.Instructions; x.Instructions == 0 {
				return nil, fmt.Errorf("%s has no goal in time: its run to the end alone failed", need.App)
			}
		}
		list = append(list, x)
	}
	return list, nil
}

// Make makes the run in a process of its own, and returns its result. The command's run
// command reads the run as JSON from standard input; flags are further ones of it. Same
// returns an error if a file has changed.
func (o *Order) Make(ctx context.Context, command, flags []string, isolated []experiment.Isolated, same func(File) error) (json.RawMessage, error) {
	run := o.Run
	run.Isolated = isolated
	input, err := json.Marshal(run)
	if err != nil {
		return nil, err
	}
	text, err := child(ctx, slices.Concat(command, []string{"run", "--stdin"}, flags, []string{"--json", "-", "--quiet"}), input)
	if err != nil {
		return nil, err
	}
	result, err := decode(text)
	if err != nil {
		return nil, fmt.Errorf("the run wrote no result: %w", err)
	}
	if result.ConfigHash != o.ConfigHash {
		return nil, fmt.Errorf("the file of GPU %s has changed since the sweep began; start the sweep again", o.Run.GPU)
	}
	for _, file := range o.Files {
		if err := same(file); err != nil {
			return nil, err
		}
	}
	return text, nil
}

// Untouched returns an error if a file has been written since.
func (f File) Untouched() error {
	info, err := os.Stat(f.Path)
	if err == nil && (info.Size() != f.Bytes || !info.ModTime().Equal(f.Changed)) {
		err = fmt.Errorf("%s has changed since the sweep began; start the sweep again", f.Path)
	}
	return err
}

// Unchanged returns an error if a file's contents have changed. The file may be a copy,
// or have times of another machine's clock.
func (f File) Unchanged() error {
	changed := f.Untouched()
	if changed == nil {
		return nil
	}
	if sum, err := HashFile(f.Path); err != nil || sum != f.SHA256 {
		return changed
	}
	return nil
}

// AloneIn reads the figures of a single application from the result of its run.
func AloneIn(text json.RawMessage) (experiment.Isolated, error) {
	result, err := decode(text)
	if err != nil {
		return experiment.Isolated{}, err
	}
	return alone(result), nil
}

func alone(r *experiment.Result) experiment.Isolated {
	k := &r.Kernels[0]
	x := experiment.Isolated{IPC: k.IPC, Instructions: k.RunInstructions()}
	if k.IsolatedTurnaroundCycles.Defined() {
		x.Turnaround = float64(k.IsolatedTurnaroundCycles)
	}
	if k.IsolatedWIPC.Defined() {
		x.WIPC = float64(k.IsolatedWIPC)
	}
	return x
}
