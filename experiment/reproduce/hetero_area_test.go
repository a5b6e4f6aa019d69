package reproduce

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAreaIsThePapersWhereItFollows(t *testing.T) {
	rows, _ := heteroRows(t, "heterocore-area", Quick, heteroStory{})
	for label, want := range map[string]float64{
		"area of an SM, big of heterocore-8b8s": 6.9, "area of an SM, small of heterocore-8b8s": -3.1, "area of all SMs, heterocore-8b8s": 1.9,
		"area of an SM, big of heterocore-4b12s": 32.1, "area of all SMs, heterocore-4b12s": 5.7, "speed-up by a 17th SM, at most": 6.25,
		"energy of an instruction, homogeneous mixes, implied": -2.4, "instructions in the same time, implied": 12.18,
	} {
		assert.InDelta(t, want, ours(t, rows, label), 0.005, label)
	}
	assert.Equal(t, 3.8, *find(t, rows, "area of all SMs, heterocore-8b8s").Paper)
	assert.Nil(t, find(t, rows, "area of the chip, heterocore-8b8s").Ours)
}
