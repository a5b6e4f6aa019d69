package interconnect

import (
	"fmt"

	"cotenant/components"
)

// Gauges are the packets in each output's pipeline and buffer.
func (x *Crossbar) Gauges() (list []components.Gauge) {
	for j := range x.outputs {
		list = append(list, x.outputs[j].out.Gauge(fmt.Sprintf("Out[%d].Queue", j)))
	}
	return list
}
