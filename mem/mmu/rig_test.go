package mmu_test

import (
	"cotenant/components"
	"cotenant/components/rig"
	"cotenant/host/pager"
	"cotenant/mem/mmu"
	"cotenant/mem/mmu/fill"
	"cotenant/mem/mmu/l2tlb"
	"cotenant/mem/pages"
	"cotenant/protocol"
	"cotenant/tenant"

	"github.com/sarchlab/akita/v3/sim"
	"github.com/stretchr/testify/require"
)

const region = 65536

// pagefault is the unit of the thesis' Table 6.1.
func pagefault() mmu.Spec {
	return mmu.Spec{PageBytes: 4096,
		L2TLB: l2tlb.Spec{Entries: 1024, Ways: 8, MSHRs: 128, Latency: 70, Queue: 8},
		Fill:  fill.Spec{Walkers: 64, WalkLatency: 500, Queue: 64, RegionBytes: region}}
}

var (
	nvlink = pager.Spec{Link: "nvlink", MigrateNs: 12_000, AllocateNs: 10_000, Occupancy: pager.Full}
	pcie   = pager.Spec{Link: "pcie", MigrateNs: 25_000, AllocateNs: 12_000, Occupancy: pager.Full}
)

// bench is a unit with a pager, between SMs that have no TLB of their own.
type bench struct {
	*rig.Bench
	table  *pages.Table
	tlb    *l2tlb.TLB
	fill   *fill.Unit
	pager  *pager.Pager
	sms    []*rig.Peer[*protocol.Translation]
	faults []*rig.Peer[sim.Msg]

	raised, served []fill.Fault
	servedAt       []uint64
	started        []uint64
}

func newRig(t rig.T, s mmu.Spec, link pager.Spec, sms int) *bench {
	require.NoError(t, s.Validate())
	r := &bench{Bench: rig.New(t, 1_000_000_000)}
	var err error
	r.table, err = pages.NewTable(s.PageBytes, s.Fill.RegionBytes)
	require.NoError(t, err)
	r.tlb, err = l2tlb.Builder{}.WithSpec(s.L2TLB).WithDomain(r.Clock).WithPageBytes(s.PageBytes).WithSMs(sms).Build("TLB")
	require.NoError(t, err)
	r.fill, err = fill.Builder{}.WithSpec(s.Fill).WithDomain(r.Clock).WithTable(r.table).WithSMs(sms).WithListener(fill.Listener{
		Raised: func(f fill.Fault) { r.raised = append(r.raised, f) },
		Served: func(f fill.Fault, cycle uint64) {
			r.served, r.servedAt = append(r.served, f), append(r.servedAt, cycle)
		},
	}).Build("Fill")
	require.NoError(t, err)
	r.pager, err = pager.Builder{}.WithSpec(link).WithDomain(r.Clock).WithListener(pager.Listener{
		InService: func(_ *protocol.RegionFault, start, _ uint64) { r.started = append(r.started, start) },
	}).Build("Pager")
	require.NoError(t, err)
	r.Join(r.tlb.Fill, r.fill.TLB)
	r.Join(r.fill.Pager, r.pager.Fill)
	for i := range sms {
		p := rig.NewPeer[*protocol.Translation](r.Bench, "SM"+string(rune('A'+i/26))+string(rune('A'+i%26)), 32, r.tlb.SMs[i])
		p.Width, p.Keep = 32, rig.Copy[protocol.Translation]
		r.sms = append(r.sms, p)
		f := rig.NewPeer[sim.Msg](r.Bench, "Faults"+string(rune('A'+i/26))+string(rune('A'+i%26)), 4, r.fill.SMs[i])
		f.Width = 4
		r.faults = append(r.faults, f)
	}
	return r
}

// ask has an SM ask for the page of an address at a cycle.
func (r *bench) ask(cycle uint64, sm int, addr uint64, write bool) {
	r.sms[sm].Send(cycle, &protocol.Translation{Page: addr &^ 4095, Account: tenant.ID(addr >> tenant.AddressShift).Account(0), SM: uint16(sm), Write: write})
}

// answer is what an SM got.
type answer struct {
	cycle uint64
	page  uint64
	fault protocol.Fault
}

func (r *bench) answers(sm int) (list []answer) {
	for _, e := range r.sms[sm].Got {
		list = append(list, answer{e.Cycle, e.Msg.Page, e.Msg.Fault})
	}
	return list
}

// told are the regions that an SM was told of, and when.
func (r *bench) told(sm int) (list []answer) {
	for _, e := range r.faults[sm].Got {
		list = append(list, answer{cycle: e.Cycle, page: e.Msg.(*protocol.RegionServed).Region})
	}
	return list
}

// retry makes SMs ask again, as the thesis' baseline does, a delay in cycles after the
// service of their region.
func (r *bench) retry(delay uint64) {
	for i := range r.sms {
		waiting := map[uint64][]protocol.Translation{}
		r.sms[i].Answer = func(_ uint64, m *protocol.Translation) {
			if m.Fault != protocol.NoFault && !m.Fault.Aborts() {
				waiting[m.Region] = append(waiting[m.Region], *m)
			}
		}
		r.faults[i].Answer = func(cycle uint64, m sim.Msg) {
			list := waiting[m.(*protocol.RegionServed).Region]
			delete(waiting, m.(*protocol.RegionServed).Region)
			for _, w := range list {
				r.sms[i].Send(cycle+delay, &protocol.Translation{Page: w.Page, Account: w.Account, SM: w.SM, Write: w.Write})
			}
		}
	}
}

func ticks(b *rig.Bench, modules ...*components.Module) (list []*int) {
	for _, m := range modules {
		list = append(list, b.Ticks(m))
	}
	return list
}
