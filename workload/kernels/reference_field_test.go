package kernels

import (
	"math"
	"testing"
)

// directions of D3Q19 in the order of the arrays: the distribution q moves by
// directions[q] in one step.
var directions = [19][3]int{{0, 0, 0}, {0, 1, 0}, {0, -1, 0}, {1, 0, 0}, {-1, 0, 0}, {0, 0, 1}, {0, 0, -1},
	{1, 1, 0}, {-1, 1, 0}, {1, -1, 0}, {-1, -1, 0}, {0, 1, 1}, {0, 1, -1}, {0, -1, 1}, {0, -1, -1},
	{1, 0, 1}, {1, 0, -1}, {-1, 0, 1}, {-1, 0, -1}}

func TestLbmStreamsCollidesAndBouncesBack(t *testing.T) {
	before, after := run(t, "lbm")
	x, y, z, cells := parameter(before, "x"), parameter(before, "y"), parameter(before, "z"), parameter(before, "cells")
	kind, from, to := ints(before, "kind"), floats(before, "from"), floats(before, "to")
	for range parameter(before, "steps") {
		for cell := range x * y * z {
			at := cell%x + 128*(cell/x)
			lbmCell(kind[at], at+128*y, 128, 128*y, cells, from, to)
		}
		from, to = to, from
	}
	size := make([]float64, len(from))
	for i := range size {
		size[i] = 1
	}
	assertClose(t, from, size, floats(after, "from"), single)
}

// lbmCell does one cell of one step.
func lbmCell(kind, at, row, plane, cells int, from, to []float64) {
	var pulled [19]float64
	density := 0.0
	var velocity [3]float64
	for q, d := range directions {
		pulled[q] = from[q*cells+at-d[0]-d[1]*row-d[2]*plane]
		density += pulled[q]
		for axis := range velocity {
			velocity[axis] += pulled[q] * float64(d[axis])
		}
	}
	for q, d := range directions {
		if kind == 1 {
			for back, e := range directions {
				if e == [3]int{-d[0], -d[1], -d[2]} {
					to[back*cells+at] = pulled[q]
				}
			}
			continue
		}
		u := [3]float64{velocity[0] / density, velocity[1] / density, velocity[2] / density}
		if kind == 2 {
			u = [3]float64{0.005, 0.002, 0}
		}
		weight := [4]float64{1. / 3, 1. / 18, 1. / 36}[d[0]*d[0]+d[1]*d[1]+d[2]*d[2]]
		along := float64(d[0])*u[0] + float64(d[1])*u[1] + float64(d[2])*u[2]
		squared := u[0]*u[0] + u[1]*u[1] + u[2]*u[2]
		rest := weight * density * (1 + 3*along + 4.5*along*along - 1.5*squared)
		to[q*cells+at] = (1-1.95)*pulled[q] + 1.95*rest
	}
}

func TestMriQSumsRotations(t *testing.T) {
	before, after := run(t, "mri-q")
	x, y, z := floats(before, "x"), floats(before, "y"), floats(before, "z")
	kx, ky, kz := floats(before, "k.x"), floats(before, "k.y"), floats(before, "k.z")
	real, imaginary := floats(before, "k.real"), floats(before, "k.imaginary")
	wantReal, wantImaginary, size := make([]float64, len(x)), make([]float64, len(x)), make([]float64, len(x))
	for v := range x {
		for s := range kx {
			magnitude := real[s]*real[s] + imaginary[s]*imaginary[s]
			turn := 2 * math.Pi * (kx[s]*x[v] + ky[s]*y[v] + kz[s]*z[v])
			wantReal[v] += magnitude * math.Cos(turn)
			wantImaginary[v] += magnitude * math.Sin(turn)
			size[v] += magnitude
		}
	}
	// Angles of up to 28 turns have lost five bits when they meet the sine.
	assertClose(t, wantReal, size, floats(after, "real"), 2e-5)
	assertClose(t, wantImaginary, size, floats(after, "imaginary"), 2e-5)
}

func TestCutcpAddsTheAtomsWithinTheCutoff(t *testing.T) {
	before, after := run(t, "cutcp")
	regions, cutoff := parameter(before, "regions"), before.numbers["cutoff"].f
	atoms := floats(before, "water.atoms")
	want, size := make([]float64, after.Array("lattice").Length), make([]float64, after.Array("lattice").Length)
	for at := range want {
		// Regions lie one after another, and so do the points of each.
		region, point := at/512, at%512
		x := float64(region%regions*8+point%8) * 0.5
		y := float64(region/regions%regions*8+point/8%8) * 0.5
		z := float64(region/regions/regions*8+point/64) * 0.5
		for i := 0; i < len(atoms); i += 4 {
			r2 := (atoms[i]-x)*(atoms[i]-x) + (atoms[i+1]-y)*(atoms[i+1]-y) + (atoms[i+2]-z)*(atoms[i+2]-z)
			if charge := atoms[i+3]; charge != 0 && r2 < cutoff*cutoff {
				fade := 1 - r2/(cutoff*cutoff)
				want[at] += charge / math.Sqrt(r2) * fade * fade
				size[at] += math.Abs(charge) / math.Sqrt(r2)
			}
		}
	}
	assertClose(t, want, size, floats(after, "lattice"), single)
}

func TestFdtdAdvancesTheFields(t *testing.T) {
	before, after := run(t, "fdtd2d")
	width, height := parameter(before, "width"), parameter(before, "height")
	ex, ey, hz := floats(before, "ex"), floats(before, "ey"), floats(before, "hz")
	for step := range parameter(before, "steps") {
		for i := range ey {
			if i < width {
				ey[i] = float64(step)
			} else {
				ey[i] -= 0.5 * (hz[i] - hz[i-width])
			}
			if i%width > 0 {
				ex[i] -= 0.5 * (hz[i] - hz[i-1])
			}
		}
		for i := range width * (height - 1) {
			if i%width < width-1 {
				hz[i] -= 0.7 * (ex[i+1] - ex[i] + ey[i+width] - ey[i])
			}
		}
	}
	size := make([]float64, len(hz))
	for i := range size {
		size[i] = 10 // what the fields grow to
	}
	assertClose(t, ex, size, floats(after, "ex"), single)
	assertClose(t, ey, size, floats(after, "ey"), single)
	assertClose(t, hz, size, floats(after, "hz"), single)
}
