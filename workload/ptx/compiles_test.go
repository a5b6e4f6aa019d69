package ptx_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"cotenant/workload/ptx"
	"cotenant/workload/ptx/exec"
)

// What the parser lets pass is what the emulator runs.
func TestWhatParsesCompiles(t *testing.T) {
	forms := ptx.EveryForm()
	assert.Greater(t, len(forms), 800)
	for _, text := range append(forms, ptx.OneOfEachKind()...) {
		m, err := ptx.Parse("t.ptx", []byte(text))
		if assert.NoError(t, err, text) {
			_, err = exec.Compile(m, "k")
			assert.NoError(t, err, text)
		}
	}
}
