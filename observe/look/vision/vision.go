// Package vision computes how colours look to readers with and without each colour-vision
// deficiency, for tests of pages' colours.
package vision

import (
	"fmt"
	"math"
)

// Visions are matrices on linear RGB of how readers see colours: with all cones, and
// without one kind of cone (Machado, Oliveira and Fernandes 2009, severity 1).
var Visions = map[string][3][3]float64{
	"all cones":    {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protanopia":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"tritanopia":   {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
}

// Seen is a colour, written #rrggbb, in Ottosson's Oklab, where equal distances look
// equally different: black and white are 1 apart. It panics if the text is not a colour.
func Seen(colour string, vision [3][3]float64) (lab [3]float64) {
	var c [3]int
	if _, err := fmt.Sscanf(colour, "#%02x%02x%02x", &c[0], &c[1], &c[2]); err != nil {
		panic(fmt.Sprintf("%q is no colour: %v", colour, err))
	}
	var linear, lms [3]float64
	for i := range c {
		linear[i] = float64(c[i]) / 255 / 12.92
		if c[i] > 10 {
			linear[i] = math.Pow((float64(c[i])/255+0.055)/1.055, 2.4)
		}
	}
	linear = times(vision, linear)
	for i := range linear {
		linear[i] = min(max(linear[i], 0), 1)
	}
	lms = times([3][3]float64{{0.4122214708, 0.5363325363, 0.0514459929}, {0.2119034982, 0.6806995451, 0.1073969566}, {0.0883024619, 0.2817188376, 0.6299787005}}, linear)
	for i := range lms {
		lms[i] = math.Cbrt(lms[i])
	}
	return times([3][3]float64{{0.2104542553, 0.7936177850, -0.0040720468}, {1.9779984951, -2.4285922050, 0.4505937099}, {0.0259040371, 0.7827717662, -0.8086757660}}, lms)
}

func times(m [3][3]float64, v [3]float64) (p [3]float64) {
	for i := range m {
		for k := range v {
			p[i] += m[i][k] * v[k]
		}
	}
	return p
}

// Apart is the distance of two colours as they are seen.
func Apart(a, b [3]float64) float64 {
	return math.Sqrt((a[0]-b[0])*(a[0]-b[0]) + (a[1]-b[1])*(a[1]-b[1]) + (a[2]-b[2])*(a[2]-b[2]))
}
