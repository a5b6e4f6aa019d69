package spool

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"cotenant/experiment/sweep"
	"cotenant/staging"
)

// places are the paths of a sweep in its spool.
type places struct {
	spool string // the whole
	sweep string // the sweep's own folder
}

// placesOf are the places of a plan with results for a store.
func placesOf(spool, store string, plan *sweep.Plan) (*places, error) {
	spool, err := filepath.Abs(spool)
	if err != nil {
		return nil, err
	}
	if store, err = filepath.Abs(store); err != nil {
		return nil, err
	}
	keys := plan.Keys()
	slices.Sort(keys)
	sum := sha256.Sum256([]byte(store + "\n" + strings.Join(keys, "\n")))
	return &places{spool: spool, sweep: filepath.Join(spool, "sweeps", hex.EncodeToString(sum[:8]))}, nil
}

func (p *places) results() string           { return filepath.Join(p.spool, "results") }
func (p *places) result(key string) string  { return filepath.Join(p.results(), key) }
func (p *places) failures() string          { return filepath.Join(p.sweep, "failed") }
func (p *places) failure(key string) string { return filepath.Join(p.failures(), key) }
func (p *places) record() string            { return filepath.Join(p.sweep, "record.json") }
func (p *places) lock() string              { return filepath.Join(p.sweep, "lock") }
func (p *places) job(name string) string    { return filepath.Join(p.sweep, name) }
func (p *places) spoolLock() string         { return filepath.Join(p.spool, "lock") }
func (p *places) program(hash string) string {
	return filepath.Join(p.spool, "program-"+hash[:min(16, len(hash))])
}

// copyProgram copies a program of a hash into the spool, unless it is there, and
// returns its path.
func (p *places) copyProgram(program, hash string) (string, error) {
	path := p.program(hash)
	if sum, err := sweep.HashFile(path); err == nil && sum == hash {
		return path, nil
	}
	in, err := os.Open(program)
	if err != nil {
		return "", err
	}
	defer in.Close()
	data, err := io.ReadAll(in)
	if err != nil {
		return "", err
	}
	return path, staging.Write(path, data, true)
}

// seen makes a network's file system look at a folder anew. It may remember missing names
// until a change of its own.
func seen(folder string) {
	if f, err := os.CreateTemp(folder, ".look-"); err == nil {
		f.Close()
		os.Remove(f.Name())
	}
}
