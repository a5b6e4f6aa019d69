package wiring

import (
	"testing"

	"cotenant/interconnect"
	"cotenant/mem"

	"github.com/stretchr/testify/require"
)

func TestGPCsMustHoldAllSMs(t *testing.T) {
	c := Config{SMs: EqualSMs(7), GPCs: []int{4, 1, 2}}
	require.NoError(t, c.validateGPCs())
	c.GPCs = []int{4, 2}
	require.EqualError(t, c.validateGPCs(), "gpcs hold 6 SMs, must hold sms, 7; with other sms give gpcs too, or gpcs=[]")
	c.GPCs = []int{4, 0, 3}
	require.EqualError(t, c.validateGPCs(), "gpcs[1] is 0, must be 1 to 1024")
	c.GPCs = nil
	require.NoError(t, c.validateGPCs())
}

func TestLesserHalfIsBetweenGPCs(t *testing.T) {
	c := Config{SMs: EqualSMs(7), GPCs: []int{4, 1, 2}}
	require.Equal(t, 3, c.LesserHalf())
	c.GPCs = []int{2, 3, 2}
	require.Equal(t, 2, c.LesserHalf())
	c.GPCs = nil
	require.Equal(t, 3, c.LesserHalf())
}

// SMs 0 to 2 are a GPC with TPCs of two SMs and one; SM 3 is a GPC. Of six slices on four channels, slices 4 and 5 are on channels 0 and 1.
func TestTiersGroupSMsAndPartSlices(t *testing.T) {
	c := Config{SMs: EqualSMs(4), GPCs: []int{3, 1}, Address: mem.AddressSpec{Slices: 6, Channels: 4}}
	c.Driver.TPCSMs = 2
	require.Empty(t, c.tiers(c.RequestNoC))
	c.RequestNoC = interconnect.Spec{TPCBytes: 44, GPCBytes: 90}
	c.ReplyNoC = interconnect.Spec{GPCBytes: 72, GPCPorts: 2}
	require.NoError(t, c.validateTiers())
	require.Equal(t, []interconnect.Tier{
		{Bytes: 44, Inputs: []int{0, 0, 1, 2}, Outputs: []int{0, 0, 0, 0, 0, 0}},
		{Bytes: 90, Inputs: []int{0, 0, 0, 1}, Outputs: []int{0, 0, 0, 0, 0, 0}},
	}, c.tiers(c.RequestNoC))
	require.Equal(t, []interconnect.Tier{
		{Bytes: 72, Inputs: []int{0, 0, 1, 1, 0, 0}, Outputs: []int{0, 0, 0, 1}, Behind: true},
	}, turned(c.tiers(c.ReplyNoC)))

	for want, change := range map[string]func(*Config){
		"request_noc.tpc_bytes is 44, must be 0 without driver.tpc_sms":               func(c *Config) { c.Driver.TPCSMs = 0 },
		"request_noc.gpc_bytes is 90, must be 0 without gpcs":                         func(c *Config) { c.GPCs = nil },
		"reply_noc.gpc_ports is 2, must be 0 without gpc_bytes":                       func(c *Config) { c.ReplyNoC.GPCBytes = 0 },
		"reply_noc.gpc_ports is 3, must divide address.channels, 4":                   func(c *Config) { c.ReplyNoC.GPCPorts = 3 },
		"far_noc joins slices, and has neither tpc_bytes nor gpc_bytes nor gpc_ports": func(c *Config) { c.FarNoC.TPCBytes = 1 },
	} {
		bad := c
		change(&bad)
		require.EqualError(t, bad.validateTiers(), want)
	}
}
