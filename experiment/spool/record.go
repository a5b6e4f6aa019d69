package spool

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"cotenant/staging"
)

// record lists the submissions of a sweep.
type record struct {
	Form int `json:"form"`
	// Wants has the keys of results that no other sweep may remove (share.go).
	Wants []string `json:"wants,omitempty"`
	// Next is the number of the next job's name.
	Next int   `json:"next"`
	Jobs []job `json:"jobs"`
}

// job is a job submitted or about to be.
type job struct {
	Name  string     `json:"name"`
	ID    string     `json:"id,omitempty"` // "" until its submission is known
	After []string   `json:"after,omitempty"`
	Runs  [][]string `json:"runs"` // keys, by task
}

// load reads the record of a sweep; an empty one if there is none.
func (p *places) load() (*record, error) {
	r := &record{Form: form}
	data, err := os.ReadFile(p.record())
	if errors.Is(err, os.ErrNotExist) {
		return r, nil
	}
	if err == nil {
		err = json.Unmarshal(data, r)
	}
	if err == nil && r.Form != form {
		err = fmt.Errorf("its form is %d, this program knows %d", r.Form, form)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w; remove it if no task of the sweep is left", p.record(), err)
	}
	return r, nil
}

// save writes a record.
func (p *places) save(r *record) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return staging.Write(p.record(), data, false)
}
