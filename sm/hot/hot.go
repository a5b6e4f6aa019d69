// Package hot counts what each line of a program costs: instructions, scheduler-cycles by
// cause, sectors of memory. SMs and L2 slices of a GPU share one Lines. The sums over lines
// equal the SMs' counters.
package hot

import (
	"math/bits"

	"cotenant/protocol"
	"cotenant/sm/tally"
	"cotenant/tenant"
	"cotenant/workload"
)

// Counts are what a line costs.
type Counts struct {
	Issues uint64 // warp instructions
	Lanes  uint64 // active threads of them
	// Stalls are scheduler-cycles. A cycle with an issue is charged to the first instruction
	// that issues in it, a cycle without to the instruction that the oldest of the warps
	// waits to issue to which the cause applies; if that warp waits at a barrier, or sleeps,
	// to the instruction that it issued last.
	Stalls        tally.CauseCounts
	L1Sectors     uint64 // of global, local, texture and constant memory, asked of the SM's caches
	L2Sectors     uint64 // asked of the L2, or written there
	DRAMSectors   uint64 // fetched from DRAM for the L2
	BankConflicts uint64 // extra cycles of shared memory
}

// Row is one line: an instruction of a kernel by its PC.
type Row struct {
	Tenant tenant.ID
	Code   uint32 // number of the kernel, as protocol.PlaceTB has it
	Launch uint64 // of the tenant, from 0; 0 if launches are not told apart
	PC     uint32
	Place  workload.Place
	Class  workload.Class
	Space  workload.Space
	Counts // as of Rows
	fetch  bool
}

// Lines are the lines of a GPU. The first tenant.Max+1 are of no instruction: the first takes
// what nothing asks for, the others the fetch of each tenant's code.
type Lines struct {
	rows     []Row
	counts   []Counts // of rows
	kernels  map[identity]*Kernel
	launches bool
}

type identity struct {
	tenant tenant.ID
	code   uint32
	launch uint64
}

// New makes Lines without counts. byLaunch tells the launches of a kernel apart.
func New(byLaunch bool) *Lines {
	l := &Lines{rows: make([]Row, 1+tenant.Max), counts: make([]Counts, 1+tenant.Max), kernels: map[identity]*Kernel{}, launches: byLaunch}
	for t := range tenant.Max {
		l.rows[1+t].Tenant, l.rows[1+t].fetch = tenant.ID(t), true
	}
	return l
}

// Code is the number of the line that takes the fetch of a tenant's code.
func Code(t tenant.ID) uint32 { return 1 + uint32(t) }

// Kernel is a kernel's lines, by PC.
type Kernel struct {
	lines *Lines
	identity
	near []uint32 // by place, those below nearEnd; 0 for none
	far  map[uint32]uint32
}

// nearEnd bounds the places whose lines are found without a map.
const nearEnd = 4 << 20

// place is the number of the word at a PC; beyond nearEnd if the PC is between two words.
func place(pc uint32) uint32 { return bits.RotateLeft32(pc, -2) }

// Kernel returns the lines of a launch of a tenant's kernel.
func (l *Lines) Kernel(t tenant.ID, code uint32, launch uint64) *Kernel {
	id := identity{t, code, 0}
	if l.launches {
		id.launch = launch
	}
	k := l.kernels[id]
	if k == nil {
		k = &Kernel{lines: l, identity: id, far: map[uint32]uint32{}}
		l.kernels[id] = k
	}
	return k
}

// Near is the line at a PC if it has been met and is found without a map, or 0. It is small enough
// to be inlined where Line is asked for each instruction.
func (k *Kernel) Near(pc uint32) uint32 {
	if i := int(place(pc)); i < len(k.near) {
		return k.near[i]
	}
	return 0
}

// Line is the number of the line of a stream's instruction. last is the stream's line before;
// it is also the line of an instruction that the stream adds itself, without a PC of its own.
func (k *Kernel) Line(s workload.Stream, inst *workload.Inst, last uint32) uint32 {
	if n := k.Near(inst.PC); n != 0 {
		return n
	}
	pc := inst.PC
	if pc == 0 && inst.Class == workload.Nop && last != 0 {
		return last
	}
	if n, known := k.far[pc]; known {
		return n
	}
	l := k.lines
	n := uint32(len(l.rows))
	l.rows = append(l.rows, Row{Tenant: k.tenant, Code: k.code, Launch: k.launch, PC: pc, Place: workload.PlaceOf(s, pc), Class: inst.Class, Space: inst.Space})
	l.counts = append(l.counts, Counts{})
	at := place(pc)
	if at == 0 || at >= nearEnd { // instructions without a PC have PC 0 too
		k.far[pc] = n
		return n
	}
	if i := int(at); i >= len(k.near) {
		k.near = append(k.near, make([]uint32, max(i+1, 2*len(k.near))-len(k.near))...)
	}
	k.near[at] = n
	return n
}

// Issue counts an instruction that issues with its active threads.
func (l *Lines) Issue(line uint32, lanes uint64) {
	c := &l.counts[line]
	c.Issues++
	c.Lanes += lanes
}

// Charge books n cycles of a scheduler.
func (l *Lines) Charge(line uint32, cause tally.Cause, n uint64) { l.counts[line].Stalls[cause] += n }

// L1 counts an access that a cache of an SM has taken.
func (l *Lines) L1(line uint32, sectors uint8) {
	l.counts[line].L1Sectors += uint64(protocol.SectorCount(sectors))
}

// Conflicts counts extra cycles of shared memory.
func (l *Lines) Conflicts(line uint32, cycles int) { l.counts[line].BankConflicts += uint64(cycles) }

// L2 counts a request that a slice has looked up.
func (l *Lines) L2(line uint32, sectors uint8) {
	l.counts[line].L2Sectors += uint64(protocol.SectorCount(sectors))
}

// DRAM counts sectors that have come from DRAM.
func (l *Lines) DRAM(line uint32, sectors uint8) {
	l.counts[line].DRAMSectors += uint64(protocol.SectorCount(sectors))
}

// Reset forgets the counts so far.
func (l *Lines) Reset() {
	clear(l.counts)
}

// Rows are the lines that have counts, those of one kernel in order of their first use. Idle
// cycles are no line's.
func (l *Lines) Rows() (rows []*Row) {
	for i := range l.rows[1:] {
		if r := &l.rows[1+i]; l.counts[1+i] != (Counts{}) {
			r.Counts = l.counts[1+i]
			rows = append(rows, r)
		}
	}
	return rows
}

// NoCode reports whether the row is of no instruction: the fetch of a tenant's code.
func (r *Row) NoCode() bool { return r.fetch }
