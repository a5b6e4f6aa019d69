package dram

import "cotenant/components"

// Gauges are the entries in use of the read queue and the write queue, or in the one
// for both.
func (c *Controller) Gauges() []components.Gauge {
	gauge := func(name string, q direction) components.Gauge {
		return components.Gauge{Name: name, Max: c.depth[q], Level: func() int { return c.queued[q] }}
	}
	if c.spec.UnifiedQueue {
		return []components.Gauge{gauge("Queue", reading)}
	}
	return []components.Gauge{gauge("Read.Queue", reading), gauge("Write.Queue", writing)}
}
