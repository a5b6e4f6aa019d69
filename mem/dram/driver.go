package dram

import (
	"cotenant/protocol"
	"cotenant/tenant"
)

// answerDriver answers the SM driver's question for the counters.
func (c *Controller) answerDriver() bool {
	if _, ok := c.Driver.Front().(*protocol.Sample); !ok {
		c.Driver.Unknown()
		return false
	}
	var counters protocol.DRAMCounters
	for a := range c.stats.Accounts {
		from, to := &c.stats.Accounts[a], &counters.Tenants[tenant.Account(a).Tenant()]
		to.ReadBytes += from.ReadBytes
		to.WrittenBytes += from.WrittenBytes
		to.RowHits += from.RowHits
		to.DataBusCycles += from.DataBusCycles
	}
	if !c.Driver.Push(&protocol.Sampled{Counters: counters}) {
		return false
	}
	c.Driver.Pop()
	return true
}
