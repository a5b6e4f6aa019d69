package sweep

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"cotenant/cta_dispatcher/policy"
	"cotenant/platform/build"
	"cotenant/workload"
	"cotenant/workload/source"
	"cotenant/workload/traceg"
)

// Inputs resolves what runs name to what it stands for, each thing once.
type Inputs struct {
	loadGPU  func(nameOrFile string) (*build.Config, error)
	gpus     map[string]*build.Config
	policies map[string][]string // the files of each
	apps     map[appChoice]*app
	files    map[string]fileState
}

// NewInputs returns an empty Inputs; loadGPU makes the GPU of a name or file.
func NewInputs(loadGPU func(nameOrFile string) (*build.Config, error)) *Inputs {
	return &Inputs{loadGPU, map[string]*build.Config{}, map[string][]string{}, map[appChoice]*app{}, map[string]fileState{}}
}

type appChoice struct {
	spec       string
	unknownALU bool
}

// app is what determines an application.
type app struct {
	Spec   string   `json:"spec"`
	Name   string   `json:"name"`
	SHA256 []string `json:"sha256,omitempty"` // of its files

	files []string
}

// fileState is a file's contents, and what tells that they may have changed.
type fileState struct {
	sha256  string
	bytes   int64
	changed time.Time
}

// GPU returns the GPU of a name or file.
func (in *Inputs) GPU(nameOrFile string) (*build.Config, error) {
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
	alone, _, err := source.Split(spec)
	if err != nil {
		return nil, err
	}
	opened, err := source.Open(alone, source.Options{Trace: traceg.Options{UnknownOpcodeALU: unknownALU}})
	if err != nil {
		return nil, err
	}
	a := &app{Spec: spec, Name: opened.Name, files: opened.Files}
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
