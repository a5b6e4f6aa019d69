package experiment

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"cotenant/platform/wiring"
	"cotenant/workload/source"
)

// Identity holds everything that determines a result: a Spec with its GPUs, and the
// contents of the files that it names. Its JSON is kept in stores, and its hashes name
// results, so fields keep their names and order. A new field is left out where it is
// the default.
type Identity struct {
	Program          string         `json:"program"` // hash of the program's file
	GPU              *wiring.Config `json:"gpu"`
	Policy           string         `json:"policy"`
	PolicySHA256     []string       `json:"policy_sha256,omitempty"` // of the files that it reads
	Apps             []*AppIdentity `json:"apps"`
	Cycles           uint64         `json:"cycles"`
	Until            string         `json:"until"`
	Seed             uint64         `json:"seed"`
	UnknownOpcodeALU bool           `json:"unknown_opcode_alu"`
	IsolatedGPU      *wiring.Config `json:"isolated_gpu,omitempty"`
	Outside          string         `json:"outside,omitempty"` // if it is not error
	Told             []Told         `json:"told,omitempty"`    // by GPU and IsolatedGPU, if a CUDA program is among Apps
	Parameters
}

// Told is what a GPU tells CUDA programs alone (dispatcher.Spec), and no part of its own JSON.
type Told struct{ ComputeCapability, MemoryBytes int }

// AppIdentity determines an application.
type AppIdentity struct {
	Spec   string   `json:"spec"`
	Name   string   `json:"name"`
	SHA256 []string `json:"sha256,omitempty"` // of its files
}

// Identity is that of s on opened GPUs. The caller adds the program, the policy's files
// and the applications.
func (s *Spec) Identity(gpu, isolated *wiring.Config) Identity {
	var told []Told
	for _, c := range []*wiring.Config{gpu, isolated} {
		if c != nil && slices.ContainsFunc(s.Apps, source.IsProgram) {
			told = append(told, Told{c.Driver.ComputeCapability, c.Driver.MemoryBytes})
		}
	}
	outside := s.Outside
	if outside == "error" {
		outside = ""
	}
	return Identity{Told: told, Outside: outside, GPU: gpu, IsolatedGPU: isolated, Policy: s.Policy, Cycles: s.Cycles, Until: s.Until, Seed: s.Seed,
		UnknownOpcodeALU: s.UnknownOpcodeALU, Parameters: s.Parameters.normal()}
}

// Key is the store's key of the result.
func (id *Identity) Key() string {
	sum := sha256.Sum256(canonical(id))
	return hex.EncodeToString(sum[:])
}

// ConfigHash is the config_hash of the result: it identifies the run by the words for
// it, in any build of the program.
func (id *Identity) ConfigHash() string {
	run := Spec{Cycles: id.Cycles, Until: id.Until}
	words := struct {
		GPU         *wiring.Config
		Policy      string
		Apps        []string
		Cycles      uint64
		Seed        uint64
		Replays     uint64
		IsolatedGPU *wiring.Config  `json:",omitempty"`
		Pages       wiring.PageMode `json:",omitempty"`
		Told        []Told          `json:",omitempty"`
		Parameters
	}{id.GPU, id.Policy, nil, id.Cycles, id.Seed, run.Replays(), id.IsolatedGPU, id.Pages, id.Told, id.Parameters}
	words.Parameters.Pages = "" // it has a capital here
	for _, a := range id.Apps {
		words.Apps = append(words.Apps, a.Spec)
	}
	sum := sha256.Sum256(canonical(words))
	return hex.EncodeToString(sum[:8])
}

// canonical is the JSON that hashes are taken of. An Identity holds numbers, strings and lists only, so that encoding
// cannot fail.
func canonical(x any) []byte {
	text, err := json.Marshal(x)
	if err != nil {
		panic(fmt.Sprintf("an identity cannot be encoded: %v", err))
	}
	return text
}
