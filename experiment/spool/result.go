package spool

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"cotenant/experiment"
	"cotenant/experiment/sweep"
	"cotenant/staging"
)

// form is the version of the files in a spool: tasks carry runs as JSON.
const form = 2

// header is the first line of a result's file. The rest is the run's output, byte for
// byte.
type header struct {
	Form    int     `json:"form"`
	Key     string  `json:"key"`
	SHA256  string  `json:"sha256"`  // of the rest
	Seconds float64 `json:"seconds"` // that the run took
	Host    string  `json:"host"`
}

// errDamaged says that a result is not what was written.
var errDamaged = errors.New("it is not a whole result")

// writeResult writes the result of a run.
func writeResult(path, key string, seconds float64, text json.RawMessage) error {
	host, _ := os.Hostname() // for people only
	sum := sha256.Sum256(text)
	head, err := json.Marshal(header{form, key, hex.EncodeToString(sum[:]), seconds, host})
	if err != nil {
		return err
	}
	return staging.Write(path, append(append(head, '\n'), text...), false)
}

// readResult reads a run's result. The error is errDamaged or comes from reading the file.
func readResult(path, key string) (header, json.RawMessage, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return header{}, nil, err
	}
	line, text, _ := bytes.Cut(data, []byte("\n"))
	var head header
	sum := sha256.Sum256(text)
	if json.Unmarshal(line, &head) != nil || head.Form != form || head.Key != key || head.SHA256 != hex.EncodeToString(sum[:]) {
		return header{}, nil, fmt.Errorf("%s: %w", path, errDamaged)
	}
	return head, text, nil
}

// aloneIn reads the figures of a single application from its result's file; false without
// one.
func aloneIn(path, key string) (experiment.Isolated, bool) {
	_, text, err := readResult(path, key)
	if err != nil {
		return experiment.Isolated{}, false
	}
	x, err := sweep.AloneIn(text)
	return x, err == nil
}
