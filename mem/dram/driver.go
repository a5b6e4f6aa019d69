package dram

import "cotenant/protocol"

// answerDriver answers the SM driver's question for the counters.
func (c *Controller) answerDriver() bool {
	if _, ok := c.Driver.Front().(*protocol.Sample); !ok {
		c.Driver.Unknown()
		return false
	}
	var counters protocol.DRAMCounters
	for i := range c.stats.Tenants {
		t := &c.stats.Tenants[i]
		counters.Tenants[i] = protocol.DRAMTenant{ReadBytes: t.ReadBytes, WrittenBytes: t.WrittenBytes, RowHits: t.RowHits, DataBusCycles: t.DataBusCycles}
	}
	if !c.Driver.Push(&protocol.Sampled{Counters: counters}) {
		return false
	}
	c.Driver.Pop()
	return true
}
