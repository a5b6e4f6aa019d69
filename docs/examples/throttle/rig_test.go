package throttle_test

import (
	"cotenant/components/rig"
	"cotenant/docs/examples/throttle"
	"cotenant/protocol"
	"cotenant/tenant"

	"github.com/stretchr/testify/require"
)

// bench is a Throttle between an SM that sends packets and a crossbar that takes
// one in a cycle.
type bench struct {
	*rig.Bench
	throttle *throttle.Throttle
	sm, noc  *rig.Peer[*protocol.Packet]
}

func newRig(t rig.T, spec throttle.Spec) *bench {
	r := &bench{Bench: rig.New(t, 1_000_000_000)}
	var err error
	r.throttle, err = throttle.Builder{}.WithSpec(spec).WithDomain(r.Clock).Build("Throttle")
	require.NoError(t, err)
	r.sm = rig.NewPeer[*protocol.Packet](r.Bench, "SM", 1, r.throttle.In)
	r.noc = rig.NewPeer[*protocol.Packet](r.Bench, "NoC", 2, r.throttle.Out)
	return r
}

// burst is a packet of each of the tenants.
func burst(tenants ...tenant.ID) (list []*protocol.Packet) {
	for i, k := range tenants {
		list = append(list, &protocol.Packet{Account: k.Account(0), Tag: uint32(i)})
	}
	return list
}
