package tests

import (
	"testing"

	"cotenant/components"
	"cotenant/experiment"
	"cotenant/platform/blocks"
	"cotenant/protocol"
	"cotenant/tenant"

	"github.com/stretchr/testify/require"
)

// sink drops one tenant's replies to an SM and passes the remaining ones on.
type sink struct {
	components.Module
	up, down *components.Port
	spec     sinkSpec
	stats    passStats
}

type sinkSpec struct {
	// Tenant is one more than the number of the tenant that loses its replies; 0: none.
	Tenant int `yaml:"tenant"`
}

func (sinkSpec) Validate() error { return nil }

func (s *sink) Tick(uint64) bool {
	if p, ok := s.up.Front().(*protocol.Packet); ok && p.Tenant() == tenant.ID(s.spec.Tenant-1) {
		s.up.Pop()
		return true
	}
	return hand(s.up, s.down, &s.stats.Down)
}

func init() {
	blocks.Register(blocks.Descriptor[sinkSpec]{Key: "sink", Joint: blocks.ReplyNoCToSM,
		Make: func(place blocks.Place, spec sinkSpec) (blocks.Block, error) {
			s := &sink{spec: spec}
			s.Init(place.Name, place.Clock, s)
			s.up, s.down = s.NewPort("Up", 4), s.NewPort("Down", 4)
			return blocks.Block{Module: s, Up: s.up, Down: s.down, Stats: &s.stats}, nil
		}})
}

// Otherwise a window would end with results of a GPU that stands still in part: the third
// application takes an SM from the first, and the second continues.
func TestWindowWithAThreadBlockThatNeverDrainsIsAnError(t *testing.T) {
	gpu := *preset(t, "plain16?sms=3&blocks.sink.tenant=1")
	late := tenant.Attributes{Arrival: tenant.Moment{Cycles: 3000}}
	r := &experiment.Run{Spec: experiment.Spec{Policy: "spart", Cycles: 3_000_000, Isolated: []experiment.Isolated{{IPC: 1}, {IPC: 1}, {IPC: 1}}}, GPU: &gpu,
		Apps: []experiment.App{{Workload: copying("loses", 400)}, {Workload: copying("other", 400)}, {Workload: copying("late", 400), Attributes: late}}}
	_, err := r.Do(t.Context())
	require.ErrorContains(t, err, "of tenant 0 (loses) is to leave, and nothing of it has moved since cycle")
}
