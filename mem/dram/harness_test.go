package dram_test

import (
	"fmt"
	"sort"

	"cotenant/components"
	"cotenant/mem"
	"cotenant/mem/dram"
	"cotenant/protocol"
	"cotenant/tenant"

	"github.com/stretchr/testify/require"
)

// gddr5 is the timing of the GTX 980 of the reference runs: 16 banks, CCD 2
// RRD 6 RCD 12 RAS 28 RP 12 RC 40 CL 12 WL 4 WR 12 CDLR 5, 32-bit channels,
// 64 queue entries; RTP 2 as in GPGPU-Sim's file for that GPU. The same numbers
// but for the bus are those of the Fermi baseline.
var gddr5 = dram.Spec{
	PortDepth: 8, ReadQueue: 64, WriteQueue: 64, WriteHigh: 56, WriteLow: 32,
	Scheduler: "frfcfs", BankGroups: 1, BusBytes: 4, BurstLength: 8, DataRate: 4,
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

// slice is a mock of an L2 slice.
type slice struct {
	components.Module
	port  *components.Port
	pool  *components.Pool[dram.Request]
	sends []send
	tags  []uint32 // of sends
	// deaf is the cycle from which the slice takes replies.
	deaf uint64

	pushed  []pushed
	replies []reply
	refused int // pushes put off because the port was full
}

type pushed struct {
	cycle uint64
	tag   uint32
}

type reply struct {
	cycle uint64
	tag   uint32
	req   dram.Request
}

func (s *slice) Tick(now uint64) bool {
	moved := false
	if m := s.port.Front(); m != nil && now >= s.deaf {
		s.port.Pop()
		r := m.(*dram.Request)
		s.replies = append(s.replies, reply{now, r.Tag, *r})
		s.pool.Put(r)
		moved = true
	}
	if len(s.sends) == 0 || s.sends[0].cycle > now {
		return moved
	}
	if !s.port.CanPush() {
		s.refused++
		return moved
	}
	next := s.sends[0]
	r := s.pool.Get()
	sectors := next.sectors
	if sectors == 0 {
		sectors = 1
	}
	*r = dram.Request{Addr: next.addr, Sectors: sectors, Write: next.write, Tenant: next.tenant, Tag: s.tags[0], Slice: 7}
	s.port.Push(r)
	s.pushed = append(s.pushed, pushed{now, r.Tag})
	s.sends, s.tags = s.sends[1:], s.tags[1:]
	return true
}

// channel is a controller with a mock slice at each port.
type channel struct {
	*dram.Controller
	engine   *components.Engine
	addrs    *mem.AddressMap
	pool     *components.Pool[dram.Request]
	slices   []*slice
	commands []told
}

// told is a command with its request as it was when the command was sent.
type told struct {
	dram.Command
	tag  uint32
	addr uint64
}

func newChannel(t require.TestingT, spec dram.Spec, layout mem.AddressSpec) *channel {
	addrs, err := mem.NewAddressMap(layout)
	require.NoError(t, err)
	e := components.NewEngine()
	clock, err := e.AddDomain("dram", 1_750_000_000)
	require.NoError(t, err)
	h := &channel{engine: e, addrs: addrs, pool: &components.Pool[dram.Request]{}}
	h.Controller, err = dram.Builder{}.WithSpec(spec).WithDomain(clock).WithAddressMap(addrs).WithPool(h.pool).
		WithListener(dram.Listener{Command: func(c dram.Command) {
			seen := told{Command: c}
			if c.Request != nil {
				seen.tag, seen.addr = c.Request.Tag, c.Request.Addr
				seen.Request = nil
			}
			h.commands = append(h.commands, seen)
		}}).Build("DRAM")
	require.NoError(t, err)
	for i := range layout.Slices / layout.Channels {
		s := &slice{pool: h.pool}
		s.Init(fmt.Sprintf("L2[%d]", i), clock, s)
		s.port = s.NewPort("DRAM", 4)
		_, err := components.Connect(s.port, h.Port(i), 1)
		require.NoError(t, err)
		h.slices = append(h.slices, s)
	}
	return h
}

// run pushes requests, each with its index as tag, and runs until nothing is
// left to do. Commands are then in the order of their cycles.
func (h *channel) run(sends ...send) {
	order := make([]uint32, len(sends))
	for i := range order {
		order[i] = uint32(i)
	}
	sort.SliceStable(order, func(i, j int) bool { return sends[order[i]].cycle < sends[order[j]].cycle })
	for _, tag := range order {
		s := sends[tag]
		to := h.slices[s.port]
		to.sends = append(to.sends, s)
		to.tags = append(to.tags, tag)
		to.WakeAt(max(s.cycle, 1))
	}
	for _, s := range h.slices {
		s.WakeAt(max(s.deaf, 1))
	}
	_ = h.engine.Run()
	sort.SliceStable(h.commands, func(i, j int) bool { return h.commands[i].Cycle < h.commands[j].Cycle })
}

// at lists the cycles of the commands of a kind for the request with a tag.
func (h *channel) at(kind dram.Kind, tag uint32) (cycles []uint64) {
	for _, c := range h.commands {
		if c.Kind == kind && c.tag == tag {
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
		for _, r := range s.replies {
			if r.tag == tag {
				return r.cycle
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
