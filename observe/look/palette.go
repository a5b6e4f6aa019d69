package look

import "fmt"

// Colours tell the first eight tenants, or policies, of a chart apart. Six are the
// colours of Okabe and Ito (Color Universal Design, 2008) that show on white. Indigo and
// brown were found by a search for the largest distance from them, and from the greys of
// the causes, for readers with each colour-vision deficiency (palette_test.go). Further
// tenants get lighter colours.
var Colours = [][3]int{
	{0, 114, 178}, {230, 159, 0}, {0, 158, 115}, {204, 121, 167}, {213, 94, 0}, {86, 180, 233}, {60, 30, 165}, {105, 60, 0},
}

// Colour is the colour of a tenant by its number, for a style sheet and for ECharts.
func Colour(tenant int) string {
	n := len(Colours)
	return mixed(Colours[tenant%n], float64(tenant/n)*0.45)
}

// Faint is a colour that stands for next to nothing of a tenant's: its own, mixed with
// white.
func Faint(tenant int) string { return mixed(Colours[tenant%len(Colours)], faint) }

// faint is the part of white in a faint colour.
const faint = 0.85

func mixed(c [3]int, white float64) string { return toward(c, [3]int{255, 255, 255}, white) }

// toward is a colour with a part of another in it.
func toward(c, other [3]int, part float64) string {
	for i := range c {
		c[i] += int(part * float64(other[i]-c[i]))
	}
	return fmt.Sprintf("#%02x%02x%02x", c[0], c[1], c[2])
}

// Everything without a tenant is in greys, so that no reader takes it for a tenant's.
const (
	Ink   = "#1d2430"
	Slate = "#5b6270"
	Paper = "#dfe3e9"
	White = "#f4f5f7"
)

// ground is behind everything in dark surroundings.
var ground = [3]int{27, 33, 41}

// dim are the colours of tenants that would be lost on a dark ground, and lighter ones, found as
// those were.
var dim = map[int][3]int{6: {165, 105, 255}, 7: {165, 45, 0}}

// Tones are the colours of a page in dark surroundings, by the colours in light ones: greys
// change places, and a tenant's faint colour is near the ground.
var Tones = func() map[string]string {
	tones := map[string]string{
		Ink: "#e4e8ee", Slate: "#5c6470", Paper: "#2c333e", White: "#12161c",
		"#ffffff": toward(ground, ground, 0), "#5a6474": "#a3adbb", "#e1e4ea": "#333b47", "#8a93a3": "#7d8796",
	}
	for k, c := range Colours {
		if lighter, ok := dim[k]; ok {
			c = lighter
			tones[Colour(k)] = toward(c, c, 0)
		}
		tones[Faint(k)] = toward(c, ground, faint)
	}
	return tones
}()

// Dark is a colour of Tones in dark surroundings, or the colour itself.
func Dark(colour string) string {
	if dark, ok := Tones[colour]; ok {
		return dark
	}
	return colour
}
