package sweep

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"cotenant/cta_dispatcher/policy"
	"cotenant/experiment"
	"cotenant/platform/wiring"
	"cotenant/tenant"
	"cotenant/workload"
	"cotenant/workload/source"
	"cotenant/workload/traceg"
)

// Inputs opens the inputs that runs name, each once.
type Inputs struct {
	loadGPU  func(nameOrFile string) (*wiring.Config, error)
	gpus     map[string]*wiring.Config
	policies map[string][]string // the files of each
	apps     map[appChoice]*app
	files    map[string]fileState
}

// NewInputs returns an empty Inputs; loadGPU makes the GPU of a name or file.
func NewInputs(loadGPU func(nameOrFile string) (*wiring.Config, error)) *Inputs {
	return &Inputs{loadGPU, map[string]*wiring.Config{}, map[string][]string{}, map[appChoice]*app{}, map[string]fileState{}}
}

type appChoice struct {
	spec       string
	unknownALU bool
}

// app is an opened application.
type app struct {
	experiment.AppIdentity
	attributes tenant.Attributes
	files      []string
}

// fileState is a file's contents, and what tells that they may have changed.
type fileState struct {
	sha256  string
	bytes   int64
	changed time.Time
}

// GPU returns the GPU of a name or file.
func (in *Inputs) GPU(nameOrFile string) (*wiring.Config, error) {
	if gpu := in.gpus[nameOrFile]; gpu != nil {
		return gpu, nil
	}
	gpu, err := in.loadGPU(nameOrFile)
	if err != nil {
		return nil, err
	}
	in.gpus[nameOrFile] = gpu
	return gpu, nil
}

// describe opens what a run names, without the workloads of its applications. The job has the
// run, its identity without the program, and the files that its policy reads and its
// applications are made of.
func (in *Inputs) describe(s experiment.Spec) (j *Job, run *experiment.Run, err error) {
	j, run = &Job{Spec: s}, &experiment.Run{Spec: s}
	if run.GPU, err = in.GPU(s.GPU); err != nil {
		return nil, nil, err
	}
	files, sums, err := in.policy(s.Policy)
	if err != nil {
		return nil, nil, err
	}
	if s.IsolatedGPU != "" {
		if run.IsolatedGPU, err = in.GPU(s.IsolatedGPU); err != nil {
			return nil, nil, err
		}
	}
	j.identity, j.files = run.Identity(run.GPU, run.IsolatedGPU), slices.Clone(files)
	j.identity.PolicySHA256 = sums
	for _, spec := range s.Apps {
		a, err := in.app(spec, s.UnknownOpcodeALU)
		if err != nil {
			return nil, nil, err
		}
		run.Apps = append(run.Apps, experiment.App{Spec: spec, Attributes: a.attributes})
		j.identity.Apps = append(j.identity.Apps, &a.AppIdentity)
		j.files = append(j.files, a.files...)
	}
	return j, run, nil
}

// policy checks a policy's name and options, and returns the files that it reads and the
// hashes of what is in them.
func (in *Inputs) policy(spec string) (files, sha256 []string, err error) {
	files, known := in.policies[spec]
	if !known {
		if _, err := policy.Parse(spec); err != nil {
			return nil, nil, err
		}
		if files, err = policy.Files(spec); err != nil {
			return nil, nil, err
		}
		in.policies[spec] = files
	}
	for _, file := range files {
		state, err := in.file(file)
		if err != nil {
			return nil, nil, err
		}
		sha256 = append(sha256, state.sha256)
	}
	return files, sha256, nil
}

// app opens an application, which finds its faults, and reads its files.
func (in *Inputs) app(spec string, unknownALU bool) (*app, error) {
	choice := appChoice{spec, unknownALU}
	if a := in.apps[choice]; a != nil {
		return a, nil
	}
	alone, attributes, err := source.Split(spec)
	if err != nil {
		return nil, err
	}
	opened, err := source.Open(alone, source.Options{Trace: traceg.Options{UnknownOpcodeALU: unknownALU}})
	if err != nil {
		return nil, err
	}
	a := &app{experiment.AppIdentity{Spec: spec, Name: opened.Name}, attributes, opened.Files}
	for _, file := range a.files {
		state, err := in.file(file)
		if err != nil {
			return nil, err
		}
		a.SHA256 = append(a.SHA256, state.sha256)
	}
	in.apps[choice] = a
	return a, nil
}

func (in *Inputs) file(path string) (fileState, error) {
	if state, ok := in.files[path]; ok {
		return state, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return fileState{}, err
	}
	hash, err := HashFile(path)
	if err != nil {
		return fileState{}, err
	}
	in.files[path] = fileState{hash, info.Size(), info.ModTime()}
	return in.files[path], nil
}

// HashFile is the SHA-256 hash of a regular file's contents, in hexadecimal.
func HashFile(path string) (string, error) {
	f, err := workload.OpenRegular(path)
	if errors.Is(err, workload.ErrNotRegular) {
		return "", fmt.Errorf("%s is not a regular file; give the path of one", path)
	}
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
