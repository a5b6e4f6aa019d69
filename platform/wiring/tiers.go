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

// tiers are the tiers of a crossbar from SMs to slices.
func (c *Config) tiers(s interconnect.Spec) (list []interconnect.Tier) {
	var tpcs, gpcs []int // of each SM; no TPC has SMs of two GPCs
	tpc := -1
	for gpc, sms := range c.SMsOfGPCs() {
		for i := range sms {
			if i%max(c.Driver.TPCSMs, 1) == 0 {
				tpc++
			}
			tpcs, gpcs = append(tpcs, tpc), append(gpcs, gpc)
		}
	}
	parts, part := make([]int, c.Address.Slices), c.Address.Channels/max(s.GPCPorts, 1)
	if s.TPCBytes > 0 {
		list = append(list, interconnect.Tier{Bytes: s.TPCBytes, Inputs: tpcs, Outputs: make([]int, len(parts))})
	}
	if s.GPCBytes > 0 {
		for i := range parts {
			parts[i] = i % c.Address.Channels / part
		}
		list = append(list, interconnect.Tier{Bytes: s.GPCBytes, Inputs: gpcs, Outputs: parts})
	}
	return list
}

// turned are tiers of the crossbar back.
func turned(tiers []interconnect.Tier) []interconnect.Tier {
	for i := range tiers {
		t := &tiers[i]
		t.Inputs, t.Outputs, t.Behind = t.Outputs, t.Inputs, true
	}
	return tiers
}
