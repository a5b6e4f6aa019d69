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

// Order is a run with all that a process needs to make it which does not have the
// plan. Paths in it are relative to the folder in which the sweep was begun.
type Order struct {
	Key string `json:"key"`
	// Arguments are Run.Arguments.
	Arguments []string `json:"arguments"`
	GPU       string   `json:"gpu"`             // for messages
	Needs     []Need   `json:"needs,omitempty"` // what each application achieves alone; none if that is the run itself
	// ConfigHash is the result's.
	ConfigHash string `json:"config_hash"`
	Files      []File `json:"files,omitempty"` // that must be as they were
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

// Order is what makes one of the plan's runs.
func (p *Plan) Order(j *Job) *Order {
	o := &Order{Key: j.Key, Arguments: j.Arguments(), GPU: j.GPU, ConfigHash: j.hash}
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

// Needed are the runs that a job waits for, none for one of a single application.
func (j *Job) Needed() (list []*Job) {
	for i, alone := range j.isolated {
		list = append(list, alone)
		if whole := j.whole[i]; whole != nil {
			list = append(list, whole)
		}
	}
	return list
}

// Isolated is what each application achieves alone, given that by the key of its
// run.
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

// Make makes the run in a process of its own, command with the arguments of the run
// command and further flags, and returns its result. Same says whether a file is
// still as it was.
func (o *Order) Make(ctx context.Context, command, flags []string, isolated []experiment.Isolated, same func(File) error) (json.RawMessage, error) {
	text, err := child(ctx, slices.Concat(command, withIsolated(o.Arguments, isolated), flags, []string{"--json", "-", "--quiet"}))
	if err != nil {
		return nil, err
	}
	result, err := decode(text)
	if err != nil {
		return nil, fmt.Errorf("the run wrote no result: %w", err)
	}
	if result.ConfigHash != o.ConfigHash {
		return nil, fmt.Errorf("the file of GPU %s has changed since the sweep began; start the sweep again", o.GPU)
	}
	for _, file := range o.Files {
		if err := same(file); err != nil {
			return nil, err
		}
	}
	return text, nil
}

// Untouched returns an error if a file is not as it was, or has been written anew.
func (f File) Untouched() error {
	info, err := os.Stat(f.Path)
	if err == nil && (info.Size() != f.Bytes || !info.ModTime().Equal(f.Changed)) {
		err = fmt.Errorf("%s has changed since the sweep began; start the sweep again", f.Path)
	}
	return err
}

// Unchanged returns an error if what is in a file is not what was in it. The file may
// be a copy, or times of another machine's clock.
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

// AloneIn is what a single application achieved by the result of its run.
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
