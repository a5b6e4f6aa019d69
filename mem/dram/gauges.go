package dram

import "cotenant/components"

// Gauges are the requests in the read queue and the write queue.
func (c *Controller) Gauges() []components.Gauge {
	return []components.Gauge{
		{Name: "Read.Queue", Max: c.spec.ReadQueue, Level: func() int { return c.reads }},
		{Name: "Write.Queue", Max: c.spec.WriteQueue, Level: func() int { return c.writes }},
	}
}
