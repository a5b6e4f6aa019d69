package workload

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestOneIsSingular(t *testing.T) {
	for noun, many := range map[string]string{"run": "runs", "launch": "launches", "copy": "copies", "entry": "entries",
		"array": "arrays", "mix": "mixes", "thread block": "thread blocks"} {
		assert.Equal(t, []string{"1 " + noun, "0 " + many, "2 " + many}, []string{Count(1, noun), Count(0, noun), Count(uint64(2), noun)})
	}
}
