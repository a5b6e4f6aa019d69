package wiring

import (
	"fmt"

	"cotenant/interconnect"
)

// validateTiers reports what the crossbars' tiers lack.
func (c *Config) validateTiers() error {
	if far := c.FarNoC; far.TPCBytes+far.GPCBytes+far.GPCPorts > 0 {
		return fmt.Errorf("far_noc joins slices, and has neither tpc_bytes nor gpc_bytes nor gpc_ports")
	}
	for _, x := range []struct {
		key string
		interconnect.Spec
	}{{"request_noc", c.RequestNoC}, {"reply_noc", c.ReplyNoC}} {
		switch {
		case x.TPCBytes > 0 && c.Driver.TPCSMs == 0:
			return fmt.Errorf("%s.tpc_bytes is %d, must be 0 without driver.tpc_sms", x.key, x.TPCBytes)
		case x.GPCBytes > 0 && len(c.GPCs) == 0:
			return fmt.Errorf("%s.gpc_bytes is %d, must be 0 without gpcs", x.key, x.GPCBytes)
		case x.GPCBytes == 0 && x.GPCPorts > 0:
			return fmt.Errorf("%s.gpc_ports is %d, must be 0 without gpc_bytes", x.key, x.GPCPorts)
		case c.Address.Channels%max(x.GPCPorts, 1) != 0:
			return fmt.Errorf("%s.gpc_ports is %d, must divide address.channels, %d", x.key, x.GPCPorts, c.Address.Channels)
		}
	}
	return nil
}

// tiers are the tiers of a crossbar, each with the groups of the SMs and the parts of the
// slices.
func (c *Config) tiers(s interconnect.Spec, add func(bytes int, groups, parts []int)) {
	slices, part := c.Address.Slices, c.Address.Channels/max(s.GPCPorts, 1)
	sizes := c.GPCs
	if len(sizes) == 0 {
		sizes = []int{c.SMs.Count()}
	}
	var tpcs, gpcs []int // of each SM; no TPC has SMs of two GPCs
	tpc := 0
	for gpc, n := range sizes {
		for i := range n {
			if i > 0 && i%max(c.Driver.TPCSMs, 1) == 0 {
				tpc++
			}
			tpcs, gpcs = append(tpcs, tpc), append(gpcs, gpc)
		}
		tpc++
	}
	if s.TPCBytes > 0 {
		add(s.TPCBytes, tpcs, make([]int, slices))
	}
	if s.GPCBytes > 0 {
		parts := make([]int, slices)
		for i := range parts {
			parts[i] = i % c.Address.Channels / part
		}
		add(s.GPCBytes, gpcs, parts)
	}
}

// requestTiers are the tiers of the crossbar from SMs to slices.
func (c *Config) requestTiers() (list []interconnect.Tier) {
	c.tiers(c.RequestNoC, func(bytes int, groups, parts []int) {
		list = append(list, interconnect.Tier{Bytes: bytes, Inputs: groups, Outputs: parts})
	})
	return list
}

// replyTiers are the tiers of the crossbar from slices to SMs.
func (c *Config) replyTiers() (list []interconnect.Tier) {
	c.tiers(c.ReplyNoC, func(bytes int, groups, parts []int) {
		list = append(list, interconnect.Tier{Bytes: bytes, Inputs: parts, Outputs: groups, Behind: true})
	})
	return list
}
