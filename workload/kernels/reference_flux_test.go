package kernels

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

// gas is the state of a cell: density, momenta and energy.
type gas [5]float64

func (g gas) velocity(axis int) float64 { return g[1+axis] / g[0] }

func (g gas) speed() float64 {
	return math.Sqrt(g.velocity(0)*g.velocity(0) + g.velocity(1)*g.velocity(1) + g.velocity(2)*g.velocity(2))
}

func (g gas) pressure() float64 { return 0.4 * (g[4] - g[0]*g.speed()*g.speed()/2) }

// flux is the Euler equations' flux of a variable along an axis.
func (g gas) flux(variable, axis int) float64 {
	flow := g[variable] * g.velocity(axis)
	if variable == 1+axis {
		flow += g.pressure()
	}
	if variable == 4 {
		flow += g.pressure() * g.velocity(axis)
	}
	return flow
}

func TestCfdAddsUpTheFluxesOfEveryFace(t *testing.T) {
	before, after := run(t, "cfd")
	cells := parameter(before, "cells")
	neighbours, normals := ints(before, "neighbours"), floats(before, "normals")
	var parts [5][]float64
	parts[0], parts[4] = floats(before, "density"), floats(before, "energy")
	for axis := range 3 {
		parts[1+axis] = floats(before, "momentum")[axis*cells:][:cells]
	}
	state := func(cell int) (g gas) {
		for v := range g {
			g[v] = parts[v][cell]
		}
		return g
	}
	far := floats(before, "far_field")
	want, size := make([]float64, 5*cells), make([]float64, 5*cells)
	kinds := map[int]int{}
	for i, neighbour := range neighbours {
		cell, face := i%cells, i/cells
		own := state(cell)
		area := 0.0
		for axis := range 3 {
			area += normals[(3*face+axis)*cells+cell] * normals[(3*face+axis)*cells+cell]
		}
		kinds[min(neighbour, 0)]++
		for v := range own {
			sum := 0.0
			for axis := range 3 {
				normal := normals[(3*face+axis)*cells+cell]
				switch {
				case neighbour >= 0:
					sum += normal * (own.flux(v, axis) + state(neighbour).flux(v, axis)) / 2
				case neighbour == -1 && v == 1+axis:
					sum += normal * own.pressure()
				case neighbour == -2 && v == 0:
					sum += normal * (own.flux(v, axis) + far[1+axis]) / 2
				case neighbour == -2 && v == 4:
					sum += normal * (own.flux(v, axis) + far[14+axis]) / 2
				case neighbour == -2:
					sum += normal * (own.flux(v, axis) + far[5+3*(v-1)+axis]) / 2
				}
			}
			if neighbour >= 0 {
				other := state(neighbour)
				waves := own.speed() + other.speed() + math.Sqrt(1.4*own.pressure()/own[0]) + math.Sqrt(1.4*other.pressure()/other[0])
				sum -= math.Sqrt(area) * 0.1 * waves * (own[v] - other[v])
			}
			want[v*cells+cell] += sum
			size[v*cells+cell] += math.Abs(sum) + 1
		}
	}
	assert.Len(t, kinds, 3, "cells, walls and the far field")
	assertClose(t, want, size, floats(after, "fluxes"), single)
}
