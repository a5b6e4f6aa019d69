package timeline

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	dispatcher "cotenant/cta_dispatcher"
	"cotenant/cta_dispatcher/policy"
	"cotenant/mem/mmu/fill"
	"cotenant/protocol"
	"cotenant/tenant"
)

func TestFaultsReadAsRegionsInFlightAndServicesOneByOne(t *testing.T) {
	var out bytes.Buffer
	w := New(&out, Options{CoreMHz: 1000, Tenants: []string{"a", "b"}})
	faults, services := w.FaultListener(), w.PagerListener()
	region := func(k tenant.ID, addr, raised uint64, class protocol.Fault, local bool) fill.Fault {
		return fill.Fault{Region: k.Base() | addr, Account: k.Account(0), Class: class, Local: local, Raised: raised}
	}
	serve := func(f fill.Fault, bytes, start, end uint64) {
		services.InService(&protocol.RegionFault{Region: f.Region, Account: f.Account, Class: f.Class, Bytes: bytes}, start, end)
	}
	first, second := region(0, 0x10000, 570, protocol.Migrate, false), region(1, 0x20000, 570, protocol.Allocate, false)
	third, fourth := region(1, 0x30000, 700, protocol.Allocate, true), region(0, 0x40000, 12_570, protocol.Migrate, false)
	faults.Raised(first)
	faults.Raised(second)
	serve(first, 65536, 570, 12_570)
	faults.Raised(third)
	faults.Served(first, 12_570)
	faults.Raised(fourth) // takes the lane of the first
	serve(second, 0, 12_570, 22_570)
	faults.Served(third, 20_700)
	faults.Served(third, 20_800) // an unknown region
	faults.Served(second, 22_570)
	serve(fourth, 4096, 22_570, 34_570)
	require.NoError(t, w.Close(30_000))
	assert.Equal(t, []string{
		"regions in flight at 0.570 us: map[a:1 b:1]",
		"regions · 1 | migrate (pager) | 0.570 us for 12.000 us | cycle=570 cycles=12000 tenant=a region=0x10000",
		"regions in flight at 0.700 us: map[a:1 b:2]",
		"pager | migrate | 0.570 us for 12.000 us | cycle=570 cycles=12000 tenant=a bytes=65536 region=0x10000",
		"regions · 3 | allocate (SM) | 0.700 us for 20.000 us | cycle=700 cycles=20000 tenant=b region=0x30000",
		"regions in flight at 12.570 us: map[a:1 b:2]",
		"regions · 2 | allocate (pager) | 0.570 us for 22.000 us | cycle=570 cycles=22000 tenant=b region=0x20000",
		"regions in flight at 20.700 us: map[a:1 b:1]",
		"pager | allocate | 12.570 us for 10.000 us | cycle=12570 cycles=10000 tenant=b bytes=0 region=0x20000",
		"pager | migrate | 22.570 us for 7.430 us | cycle=22570 cycles=7430 tenant=a bytes=4096 unfinished=true region=0x40000",
		"regions · 1 | migrate (pager) | 12.570 us for 17.430 us | cycle=12570 cycles=17430 tenant=a unfinished=true region=0x40000",
		"regions in flight at 22.570 us: map[a:1 b:0]",
	}, lines(t, out.Bytes()))
}

// Services that overlap have a track each; a service that begins when another ends takes
// its track.
func TestServicesThatOverlapHaveTracksOfTheirOwn(t *testing.T) {
	var out bytes.Buffer
	w := New(&out, Options{CoreMHz: 1000, Tenants: []string{"a"}})
	for _, at := range []uint64{100, 150, 200, 260} {
		w.PagerListener().InService(&protocol.RegionFault{Region: at << 16, Class: protocol.Migrate}, at, at+100)
	}
	require.NoError(t, w.Close(1000))
	assert.Equal(t, []string{
		"pager | migrate | 0.100 us for 0.100 us | cycle=100 cycles=100 tenant=a bytes=0 region=0x640000",
		"pager · 2 | migrate | 0.150 us for 0.100 us | cycle=150 cycles=100 tenant=a bytes=0 region=0x960000",
		"pager | migrate | 0.200 us for 0.100 us | cycle=200 cycles=100 tenant=a bytes=0 region=0xc80000",
		"pager · 2 | migrate | 0.260 us for 0.100 us | cycle=260 cycles=100 tenant=a bytes=0 region=0x1040000",
	}, lines(t, out.Bytes()))
}

func TestThreadBlockThatIsSwitchedOnAFaultSaysSo(t *testing.T) {
	var out bytes.Buffer
	w := New(&out, Options{CoreMHz: 1000, Tenants: []string{"a"}})
	l := w.Listener()
	e := dispatcher.TBEvent{Cycle: 0, SM: 1}
	at := func(cycle uint64, m policy.Mechanism, fault bool) dispatcher.TBEvent {
		e.Cycle, e.Mechanism, e.Fault = cycle, m, fault
		return e
	}
	l.TBPlaced(at(0, 0, false))
	l.TBLeaving(at(10, policy.Switch, true))
	l.TBPreempted(at(20, policy.Switch, true))
	l.TBReturning(at(30, policy.Switch, true))
	l.TBRestored(at(40, policy.Switch, true))
	l.TBLeaving(at(50, policy.Switch, false))
	l.TBPreempted(at(60, policy.Switch, false))
	require.NoError(t, w.Close(100))
	var names, shades []string
	for _, e := range parse(t, out.Bytes()) {
		if e.Category == "preemption" {
			names, shades = append(names, e.Name), append(shades, e.Colour)
		}
	}
	assert.Equal(t, []string{"leaving (switch on a fault)", "loading (switch on a fault)", "leaving (switch)"}, names)
	assert.Equal(t, []string{"bad", "grey", "terrible"}, shades)
}

// A timeline of a run without faults does not name their process.
func TestWithoutFaultsThereIsNoTrackOfThem(t *testing.T) {
	var out bytes.Buffer
	w := New(&out, Options{CoreMHz: 1000, Tenants: []string{"a"}})
	w.FaultListener()
	w.PagerListener()
	require.NoError(t, w.Close(10))
	assert.NotContains(t, out.String(), "Page faults")
}
