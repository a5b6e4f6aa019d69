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

// Tint is a tenant's colour, mixed with white: 0 is the colour, 1 is white.
func Tint(tenant int, white float64) string {
	return mixed(Colours[tenant%len(Colours)], white)
}

func mixed(c [3]int, white float64) string {
	for i := range c {
		c[i] += int(white * float64(255-c[i]))
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
