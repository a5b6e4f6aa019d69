package wiring

import "fmt"

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

// GPCOf is the number of an SM's GPC, from 0; 0 where the GPU tells none apart.
func (c *Config) GPCOf(sm int) int {
	for gpc, n := range c.GPCs {
		if sm < n {
			return gpc
		}
		sm -= n
	}
	return 0
}

// LesserHalf is the number of SMs in the smaller half of the GPU, as topology halves divides
// it: between GPCs, or between SMs where the GPU tells no GPCs apart.
func (c *Config) LesserHalf() int {
	sms := c.SMs.Count()
	if len(c.GPCs) < 2 {
		return sms / 2
	}
	first := 0
	for _, n := range c.GPCs[:len(c.GPCs)/2] {
		first += n
	}
	return min(first, sms-first)
}
