package wiring

import (
	"math"

	"cotenant/components/stats"
	"cotenant/metrics"
	"cotenant/protocol"
	"cotenant/workload"
)

// All is in place of a tenant's number for the sum over tenants, and what is no tenant's.
const All = -1

// Events counts a tenant's events that take energy, or the events of All, by the counters of
// the GPU's modules (Platform.Stats). Only All has the time, in core cycles. A value is not
// defined if a counter lacks.
func (c *Config) Events(modules map[string]stats.Group, of int, cycles uint64) metrics.Events {
	sum := func(key string, names ...string) (n float64) {
		list := modules[key].Total
		if of != All {
			list = nil
			if of < len(modules[key].Tenants) {
				list = modules[key].Tenants[of]
			}
		}
		for _, name := range names {
			v, ok := list.Get(name)
			if !ok {
				return math.NaN()
			}
			n += float64(v)
		}
		return n
	}
	requestFlit, replyFlit := float64(c.RequestNoC.FlitBytes), float64(c.ReplyNoC.FlitBytes)
	e := metrics.Events{
		Instructions:       sum("sm", "thread_instructions") + workload.WarpSize*sum("sm", "tensor_steps"),
		TensorMultiplyAdds: sum("sm", "tensor_multiply_adds"),
		SharedPasses:       sum("sm", "lsu_shared_accesses", "lsu_shared_conflicts"),
		L1Accesses:         sum("sm", "l1_accesses", "l1_writes", "l1_atomics", "l1_bypasses"),
		L1Sectors:          sum("sm", "l1_sectors") + protocol.SectorsPerLine*sum("sm", "l1_atomics", "l1_bypasses") + sum("l2", "written_sectors"),
		// What requests carry are their flits behind the first, which has the header.
		L2Bytes:   sum("l2", "reply_bytes") + requestFlit*(sum("request_noc", "flits")-sum("request_noc", "packets")),
		Flits:     (requestFlit*sum("request_noc", "flits") + replyFlit*sum("reply_noc", "flits")) / metrics.FlitBytes,
		Activates: sum("dram", "activates"),
		DRAMBytes: sum("dram", "read_bytes", "written_bytes"),
	}
	if of == All {
		e.Seconds, e.SMs = float64(cycles)/(float64(c.Clocks.Core)*1e6), float64(c.SMs.Count())
	}
	return e
}
