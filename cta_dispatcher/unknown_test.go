package dispatcher

import (
	"testing"

	"cotenant/components"
	"cotenant/components/rig"
)

func TestMessageOfUnknownTypeEndsTheSimulation(t *testing.T) {
	for _, port := range []func(*Driver) *components.Port{
		func(d *Driver) *components.Port { return d.Host },
		func(d *Driver) *components.Port { return d.SMs[1] },
		func(d *Driver) *components.Port { return d.PreEngs[0] },
	} {
		b := newBench(t, setup{tenants: tenants(app(kernel("k", 4)))})
		rig.RefusesStrangers(rig.On(t, b.domain), port(b.driver))
	}
}
