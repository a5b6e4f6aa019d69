// Package mps shares the GPU as NVIDIA's Multi-Process Service does: kernels of several
// processes run at once, and an active thread percentage caps the SMs of each (NVIDIA MPS
// documentation, r550 and later).
//
// A client with p % runs on floor(SMs x p / 100) SMs, rounded down to whole TPCs
// (driver.tpc_sms), one TPC at least: of 82 SMs 50 % are 40. Percentages are caps and
// reserve nothing. While they add up to at most 100, the clients' SMs are disjoint: the
// first to arrive has the lowest numbers, the second the highest, and further clients
// follow from the two ends. Beyond 100 they overlap, and where they do, thread blocks of
// several clients share an SM.
//
// A GPU can bound the number of clients (driver.mps_clients).
//
// The documentation does not say which client goes first on a shared SM. Here it is the
// client with the higher priority, and among equals the one whose kernel came first
// (package confined).
package mps

import (
	"errors"
	"fmt"

	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/policy/confined"
)

func init() {
	policy.Register(policy.Descriptor{
		Name:  "mps",
		About: "kernels of several processes at once, each on at most a percentage of the SMs",
		Options: []policy.Option{
			{Name: "percent", About: "active thread percentages by order of arrival, 1 to 100, such as 50/50; or all: 100 each", Default: "all"},
		},
		New: func(o *policy.Options) policy.Policy {
			m := &mps{percent: o.Ints("percent", "all", 1, 100, "50/50")}
			m.Lay = func(v *policy.View, _ int) []bool { return m.lay(len(v.SMs), v.Machine.SMsPerTPC) }
			return m
		},
	})
}

type mps struct {
	percent []int // by order of arrival; nil: 100 each

	low    int // SMs that clients have from the lowest number up
	high   int // and from the highest down
	placed int // clients that have arrived
	confined.Placement
}

// Needs makes it a policy.Policy.
func (m *mps) Needs() policy.Needs {
	return policy.Needs{Concurrent: true, Check: m.check, Registers: m.Registers}
}

func (m *mps) check(v *policy.View) error {
	switch most := v.Machine.MPSClients; {
	case most > 0 && len(v.Tenants) > most:
		return fmt.Errorf("%d applications; valid: at most %d clients, driver.mps_clients of the GPU", len(v.Tenants), most)
	case m.percent == nil:
		return nil
	case len(m.percent) < len(v.Tenants):
		return fmt.Errorf("option percent has %d numbers for %d applications: give one for each", len(m.percent), len(v.Tenants))
	case v.Mixed():
		return errors.New("option percent needs equal SMs, and the GPU has SMs of several kinds")
	}
	return nil
}

// lay gives the next client its SMs.
func (m *mps) lay(sms, tpc int) []bool {
	n := sms
	if m.percent != nil {
		n = share(sms, tpc, m.percent[m.placed])
	}
	set := make([]bool, sms)
	for i := range n {
		if m.placed%2 == 0 {
			set[(m.low+i)%sms] = true
		} else {
			set[sms-1-(m.high+i)%sms] = true
		}
	}
	if m.placed%2 == 0 {
		m.low += n
	} else {
		m.high += n
	}
	m.placed++
	return set
}

// share is a percentage of SMs in whole TPCs.
func share(sms, tpc, percent int) int {
	tpc = max(tpc, 1)
	return min(max(sms*percent/100/tpc, 1)*tpc, sms)
}
