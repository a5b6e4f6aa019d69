package page

import (
	"fmt"

	"cotenant/sm"
)

// tenantColours are those of Okabe and Ito (Color Universal Design, 2008), which
// the colour-blind can tell apart too. Tenants beyond them get lighter ones.
var tenantColours = [][3]int{
	{0, 114, 178}, {230, 159, 0}, {0, 158, 115}, {204, 121, 167}, {213, 94, 0}, {86, 180, 233}, {150, 140, 20},
}

func tenantColour(tenant int) string {
	n := len(tenantColours)
	return mixed(tenantColours[tenant%n], float64(tenant/n)*0.45)
}

// tint is a tenant's colour, mixed with white.
func tint(tenant int, white float64) string {
	return mixed(tenantColours[tenant%len(tenantColours)], white)
}

func mixed(c [3]int, white float64) string {
	for i := range c {
		c[i] += int(white * float64(255-c[i]))
	}
	return fmt.Sprintf("#%02x%02x%02x", c[0], c[1], c[2])
}

// causeColours are from the same set; work is green, and nothing to do is grey.
var causeColours = [sm.NumCauses]string{
	sm.Issued:    "#009e73",
	sm.Idle:      "#d9d9d9",
	sm.Control:   "#56b4e9",
	sm.RAWLong:   "#d55e00",
	sm.RAWOther:  "#e69f00",
	sm.LSUFull:   "#cc79a7",
	sm.PipeFull:  "#0072b2",
	sm.Quota:     "#f0e442",
	sm.Preempted: "#4d4d4d",
	sm.Bubble:    "#7a5195",
}

// causeNames say what a scheduler's cycle went to.
var causeNames = [sm.NumCauses]string{
	sm.Issued:    "issued",
	sm.Idle:      "no warp",
	sm.Control:   "fetch or barrier",
	sm.RAWLong:   "waits for memory",
	sm.RAWOther:  "waits for a result",
	sm.LSUFull:   "load-store unit full",
	sm.PipeFull:  "pipe full",
	sm.Quota:     "quota used up",
	sm.Preempted: "being preempted",
	sm.Bubble:    "scheduler picks none",
}
