package dram_test

import (
	"fmt"
	"sort"

	"cotenant/components"
	"cotenant/components/rig"
	"cotenant/mem"
	"cotenant/mem/dram"
	"cotenant/mem/dram/tcm"
	"cotenant/protocol"
	"cotenant/tenant"

	"github.com/stretchr/testify/require"
)

// gddr5 is the timing of the GTX 980 of the reference runs: 16 banks, CCD 2
// RRD 6 RCD 12 RAS 28 RP 12 RC 40 CL 12 WL 4 WR 12 CDLR 5, 32-bit channels,
// 64 queue entries; RTP 2 as in GPGPU-Sim's file for that GPU. The same numbers
// but for the bus are the Fermi baseline's.
var gddr5 = dram.Spec{
	PortDepth: 8, ReadQueue: 64, WriteQueue: 64, WriteHigh: 56, WriteLow: 32,
	Scheduler: "frfcfs", TCM: tcm.Spec{Quantum: 100_000, ClusterPercent: 50, ShuffleInterval: 800, AlikePercent: 10},
	BankGroups: 1, BusBytes: 4, BurstLength: 8, DataRate: 4,
	Timing: dram.Timing{CL: 12, WL: 4, RCD: 12, RP: 12, RAS: 28, RC: 40, RRD: 6, CCD: 2, WR: 12, RTP: 2, WTR: 5},
}

// oneChannel has rows of 2 KB in 16 banks, so that consecutive rows of memory
// lie in different banks.
var oneChannel = mem.AddressSpec{Slices: 1, Channels: 1, Banks: 16, InterleaveBytes: 256, RowBytes: 2048}

// send is a request that a slice pushes at a cycle or, if its port is full,
// as soon after as it can.
type send struct {
	cycle   uint64
	addr    uint64
	write   bool
	sectors uint8 // 0: one
	tenant  tenant.ID
	port    int
}

// channel is a controller with a peer at each port that stands for a slice.
type channel struct {
	*dram.Controller
	bench    *rig.Bench
	addrs    *mem.AddressMap
	pool     *components.Pool[protocol.DRAMRequest]
	slices   []*rig.Peer[*protocol.DRAMRequest]
	commands []told
}

// told is a command with its request as it was when the command was sent.
type told struct {
	dram.Command
	tag  uint32
	addr uint64
	none bool // it is sent for no request
}

func newChannel(t rig.T, spec dram.Spec, layout mem.AddressSpec, tenants ...tenant.Attributes) *channel {
	addrs, err := mem.NewAddressMap(layout)
	require.NoError(t, err)
	h := &channel{bench: rig.New(t, 1_750_000_000), addrs: addrs, pool: &components.Pool[protocol.DRAMRequest]{}}
	h.Controller, err = dram.Builder{}.WithSpec(spec).WithDomain(h.bench.Clock).WithAddressMap(addrs).WithPool(h.pool).WithTenants(tenants).
		WithListener(dram.Listener{Command: func(c dram.Command) {
			seen := told{Command: c, none: c.Request == nil}
			if c.Request != nil {
				seen.tag, seen.addr = c.Request.Tag, c.Request.Addr
				seen.Request = nil
			}
			h.commands = append(h.commands, seen)
		}}).Build("DRAM")
	require.NoError(t, err)
	for i := range layout.Slices / layout.Channels {
		h.slices = append(h.slices, rig.NewPeer[*protocol.DRAMRequest](h.bench, fmt.Sprintf("L2[%d]", i), 4, h.Port(i)))
	}
	return h
}

// located has a request say where its line lies, as a slice does.
func located(addrs *mem.AddressMap, r *protocol.DRAMRequest) *protocol.DRAMRequest {
	at := addrs.Locate(r.Addr)
	r.Bank, r.Row = uint8(at.Bank), at.Row
	return r
}

// run pushes requests from cycle 1 on, each with its index as tag, and runs until
// nothing is left to do. Commands are then in the order of their cycles.
func (h *channel) run(sends ...send) {
	for tag, s := range sends {
		h.slices[s.port].Send(max(s.cycle, 1), located(h.addrs, &protocol.DRAMRequest{Addr: s.addr, Sectors: max(s.sectors, 1),
			Write: s.write, Account: s.tenant.Account(0), Tag: uint32(tag), Slice: 7}))
	}
	h.bench.Run()
	sort.SliceStable(h.commands, func(i, j int) bool { return h.commands[i].Cycle < h.commands[j].Cycle })
}

// at lists the cycles of the commands of a kind for the request with a tag.
func (h *channel) at(kind dram.Kind, tag uint32) (cycles []uint64) {
	for _, c := range h.commands {
		if c.Kind == kind && c.tag == tag && !c.none {
			cycles = append(cycles, c.Cycle)
		}
	}
	return cycles
}

// first is the cycle of the first command of a kind for a request.
func (h *channel) first(t require.TestingT, kind dram.Kind, tag uint32) uint64 {
	cycles := h.at(kind, tag)
	require.NotEmpty(t, cycles, "no %v for request %d in %v", kind, tag, h.commands)
	return cycles[0]
}

// gap is the time from one command to another.
func (h *channel) gap(t require.TestingT, from dram.Kind, fromTag uint32, to dram.Kind, toTag uint32) int {
	return int(h.first(t, to, toTag)) - int(h.first(t, from, fromTag))
}

// replied is the cycle at which the reply to a request was taken.
func (h *channel) replied(t require.TestingT, tag uint32) uint64 {
	for _, s := range h.slices {
		for _, r := range s.Got {
			if r.Msg.Tag == tag {
				return r.Cycle
			}
		}
	}
	require.Fail(t, "no reply", "request %d", tag)
	return 0
}

// addr is the address of a line of a row of a bank, found by search, since the
// map only goes the other way.
func (h *channel) addr(bank int, row uint64, column int) uint64 {
	layout := h.addrs.Spec()
	want := mem.Location{Bank: bank, Row: row, Column: column}
	// The row's chunks are dealt out in rounds, so look a round to each side.
	span := uint64(layout.Banks * layout.RowBytes)
	slack := uint64(layout.Slices * layout.InterleaveBytes)
	for a := row*span - min(slack, row*span); a < (row+1)*span+slack; a += protocol.LineBytes {
		if h.addrs.Locate(a) == want {
			return a
		}
	}
	panic("no such line")
}
