package wiring

import (
	"fmt"

	"cotenant/sm"
)

// validateGPCs reports GPCs that do not hold all SMs.
func (c *Config) validateGPCs() error {
	if len(c.GPCs) == 0 {
		return nil
	}
	sum := 0
	for i, n := range c.GPCs {
		if n < 1 || n > maxSMs {
			return fmt.Errorf("gpcs[%d] is %d, must be 1 to %d", i, n, maxSMs)
		}
		sum += n
	}
	if sum != c.SMs.Count() {
		return fmt.Errorf("gpcs hold %d SMs, must hold sms, %d; with other sms give gpcs too, or gpcs=[]", sum, c.SMs.Count())
	}
	return nil
}

// SMsOfGPCs has the numbers of the SMs of each GPC; all in one if the GPU tells none apart.
func (c *Config) SMsOfGPCs() (gpcs [][]int) {
	sizes := c.GPCs
	if len(sizes) == 0 {
		sizes = []int{c.SMs.Count()}
	}
	next := 0
	for _, n := range sizes {
		var sms []int
		for range n {
			sms, next = append(sms, next), next+1
		}
		gpcs = append(gpcs, sms)
	}
	return gpcs
}

// gpcOf is the GPC of an SM, -1 if the SM can run no clusters.
func (c *Config) gpcOf(number int, spec *sm.Spec) int {
	if spec.LSU.RemoteLatency == 0 {
		return -1
	}
	for gpc, n := range c.GPCs {
		if number -= n; number < 0 {
			return gpc
		}
	}
	return -1
}

// LesserHalf is the number of SMs in the smaller half of the GPU, as topology halves divides
// it; half of the SMs where one half would have none.
func (c *Config) LesserHalf() int {
	sms, first := c.SMs.Count(), c.ground().FirstHalf()
	if first == 0 {
		return sms / 2
	}
	return min(first, sms-first)
}
