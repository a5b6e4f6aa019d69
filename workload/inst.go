package workload

import "fmt"

// WarpSize is the number of lanes of a warp, on every GPU modelled here.
const WarpSize = 32

// Class says which pipe an instruction needs and how it behaves in it.
// Latency and initiation interval of each class belong to the SM's Spec.
type Class uint8

// The classes. Memory classes (Load to Copy) carry a Space, a Width and
// addresses; the rest do not.
const (
	Int       Class = iota // integer, logic, moves, conversions of 32 bits, predicates
	FP32                   // single and half precision arithmetic
	FP64                   // double precision arithmetic
	SFU                    // reciprocal, root, sine, conversions on the special-function pipe
	Tensor                 // matrix-multiply-accumulate
	Constant               // load from constant memory, served by the constant cache; see Constants
	Branch                 // any transfer of control, after which fetch waits if it is taken, and what sets one up
	Exit                   // ends the active lanes; the warp ends with its stream
	Barrier                // meets other warps of the TB: see Inst.Barrier
	Fence                  // waits until the warp's own memory accesses are performed
	Nop                    // takes an issue slot and nothing else
	Load                   // reads memory into registers
	Store                  // writes registers to memory, nothing returns
	Atomic                 // read-modify-write that returns a value
	Reduction              // read-modify-write that returns nothing
	Copy                   // reads global memory into shared memory, asynchronously: see Inst.Barrier
	Commit                 // closes the group of the warp's copies since the last Commit
	Await                  // waits for groups of copies: see Inst.Barrier
	NumClasses
)

var classNames = [NumClasses]string{"int", "fp32", "fp64", "sfu", "tensor", "constant", "branch", "exit",
	"barrier", "fence", "nop", "load", "store", "atomic", "reduction", "copy",
	"commit", "await"}

// String returns the name used in configuration files and reports.
func (c Class) String() string {
	if c < NumClasses {
		return classNames[c]
	}
	return "invalid"
}

// IsMemory reports whether instructions of the class access a memory that can
// be written. All of them carry addresses.
func (c Class) IsMemory() bool { return c >= Load && c <= Copy }

// Space is the address space of a memory instruction.
type Space uint8

// The address spaces. A Generic address has been resolved by the source
// before the SM sees it, so there is no Generic here.
const (
	Global  Space = iota // through L1D and L2 to DRAM
	Shared               // the TB's scratchpad, banked
	Local                // per-thread memory, interleaved by lane, cached as Global
	Texture              // read-only global memory through the L1
	// Constants is the space of a Constant instruction if the source knows its
	// addresses. Any other Constant is taken for uniform: all lanes read the
	// same word.
	Constants
	// Time is the space of a Nop after which the warp sleeps: its Base is the time in ns.
	Time
)

// Barriers is the number of barriers of a TB (PTX ISA, bar.sync).
const Barriers = 16

// NoReg is an empty register field. It is also the zero register (RZ) of the
// machine code, which never carries a dependence.
const NoReg = 255

// Flags of an instruction.
type Flags uint8

const (
	// BypassL1 marks an access that must be served by the L2 (volatile,
	// .STRONG, .CG).
	BypassL1 Flags = 1 << iota
	// Redirect marks a Branch after which the warp does not fall through.
	Redirect
	// Arrive marks a Barrier at which the warp counts and does not wait. Its
	// Warps must not be 0.
	Arrive
	// Multiply marks an Int that multiplies integers, MultiplyAdd an Int that
	// adds to the product, and whatever else takes the way of a multiplication:
	// some machines have another unit than that of Int for them. The steps of
	// a division are not marked. Profiles mark none.
	Multiply
	MultiplyAdd
	// ReadOnly marks a Load of global memory that its kernel only reads, so that
	// a cache which is not coherent may serve it (ld.global.nc of PTX, LDG of
	// Kepler, LDG.CI and LDG.CONSTANT of later machine code).
	ReadOnly
	// Remote marks an access to Shared that is to another thread block of the cluster, and a bulk Copy
	// that comes to other thread blocks: its stream is a Sender.
	Remote
)

// Convert marks an SFU that converts between integers and floating point, or rounds:
// some machines have another unit than that of SFU for them. The steps of a division
// are not marked. The bit is that of Multiply, which no SFU has.
const Convert = Multiply

// Half marks an FP32 of 16-bit numbers, alone or in pairs: some machines have another rate
// than that of FP32 for them. The bit is that of Multiply, which no FP32 has.
const Half = Multiply

// Kinds is the number of kinds of instructions, see Inst.Kind.
const Kinds = 1 << 7

// Classes have the bits of a Kind below the flags' bits. With a class too many, this
// does not compile.
const _ = uint(Multiply)<<2 - uint(NumClasses)

// Kind is what an instruction's unit and timing go by, below Kinds: its class,
// and whether it is marked Multiply, MultiplyAdd, Convert or Half.
func (i *Inst) Kind() uint8 { return KindOf(i.Class, i.Flags) }

// KindOf is the Kind of instructions of a class and with flags.
func KindOf(c Class, f Flags) uint8 {
	return (uint8(c) | uint8(f&(Multiply|MultiplyAdd))<<2) % Kinds
}

// Inst is one warp instruction, packed. Registers are numbers below NoReg;
// register lists end at the first NoReg. Lanes of Active that are set take
// part; an instruction with no active lane still issues.
//
// Addresses: lane i's address is Lanes[i] when Lanes is set, and otherwise
// Base + Stride*(i - index of the lowest active lane). Lanes belongs to the
// stream and is valid until its next Fetch.
type Inst struct {
	Lanes  *[WarpSize]uint64 // bytes; nil for affine addresses
	Base   uint64            // bytes; address of the lowest active lane
	Stride int32             // bytes between neighbouring lanes
	Active uint32            // lane mask
	PC     uint32            // bytes from the kernel's first instruction
	Dst    [4]uint8          // registers written
	Src    [10]uint8         // registers read
	Class  Class
	Space  Space
	Flags  Flags
	// Width is the number of bytes that each lane accesses: 1, 2, 4, 8 or 16. Of a Tensor
	// it is the Shape.
	Width uint8
	// Barrier is the number of the barrier, below Barriers, that an instruction
	// of that class is about, and Warps how many warps complete it; 0 stands for
	// all warps of the TB that have not ended. A Barrier without an active lane
	// does nothing. Of an Await, Barrier is the number of the warp's last groups of copies
	// that may be under way behind it; earlier groups have ended. A warp's groups
	// belong to all its lanes. Of a Commit and of an Await, Warps is the kind of the groups.
	//
	// Of a Tensor that is a warp's part of a product of four warps, Barrier is the number of
	// its parts of 8 columns, of which each has the Shape, and Warps the matrices that it reads
	// from shared memory: 1, or 2 with the first. It writes no registers: it joins the open
	// group of products. Of any other Tensor both are 0.
	//
	// Of a Load, Store, Atomic or Reduction without Warps, Barrier is its Eviction.
	Barrier, Warps uint8
}

// Eviction is what a memory instruction says to the L2 about the lines that it accesses.
func (i *Inst) Eviction() Eviction {
	if i.Warps != 0 || i.Class < Load || i.Class > Reduction {
		return 0
	}
	return Eviction(i.Barrier)
}

// The kinds of groups of what a warp has begun and does not wait for.
const (
	CopyGroups    = iota // copies into shared memory (cp.async)
	ProductGroups        // products of four warps (wgmma)
	BulkGroups           // bulk copies from shared memory (cp.async.bulk)
	GroupKinds
	// PhaseWaits is in the place of a kind for an Await of the phase of an mbarrier, which has
	// the number Barrier: until no bulk copy to it is under way or, with the flag Unmet, until
	// something arrives at it.
	PhaseWaits
	// ClusterWaits is in the place of a kind for an Await of the end of a phase of the cluster's barrier: with
	// the flag Unmet, until the stream, a Waiter, says that it is over.
	ClusterWaits
)

// Waiter is a Stream of a warp that may wait for what other thread blocks of its cluster do.
type Waiter interface {
	// Waits reports that the next instruction, an Await that is Unmet, may end by what other thread blocks do.
	Waits() bool
	// Over reports that it has, in the present cycle of the thread block's Clock. It does not depend
	// on what other thread blocks do in that cycle.
	Over() bool
}

// Sender is a Stream with bulk copies that come to other thread blocks of its cluster.
type Sender interface {
	// Tell belongs to the last instruction that has been executed, a bulk Copy that is Remote. tell is called when the
	// copy has come: it tells the other thread blocks. own says that it comes to the warp's own, too.
	Tell() (tell func(), own bool)
}

// Unmet marks an Await of a phase that has not ended. The bit is that of Redirect.
const Unmet = Redirect

// Bulk reports whether a memory instruction is a bulk copy: a Copy to shared memory or a Store from
// it. Each lane stands for Warps rows of Width times 16 bytes. A lane's rows lie as far from each other as
// brings them to the next lane's. Barrier is the number of the mbarrier that a Copy tells. A
// Reduction with Warps arrives at the mbarrier of number Barrier, see Arrival.
func (i *Inst) Bulk() bool { return i.Warps > 0 && (i.Class == Copy || i.Class == Store) }

// Warps of a Reduction that arrives at an mbarrier. The phase lasts until the asynchronous copies that the
// warp has under way have come, if it is a CopyArrival (cp.async.mbarrier.arrive).
const (
	Arrival = 1 + iota
	CopyArrival
)

// BulkLine is what a bulk copy counts its bytes in.
const BulkLine = 16

// MBarrier is the number of the mbarrier at an address of shared memory. Numbers repeat
// after 256, so that waits may take one for another and end later.
func MBarrier(addr uint64) uint8 { return uint8(addr / 8) }

// Grouped reports whether an instruction is a part of a product of four warps.
func (i *Inst) Grouped() bool { return i.Class == Tensor && i.Barrier > 0 }

// Addressed reports whether instructions of a class and space carry addresses, or the time
// that stands in their place.
func Addressed(c Class, s Space) bool { return c.IsMemory() || s >= Constants }

// Shape is that of a Tensor.
func (i *Inst) Shape() Shape { return Shape(i.Width) }

// NoRegs4 and NoRegs10 are empty register lists for Dst and Src.
var (
	NoRegs4  = [4]uint8{NoReg, NoReg, NoReg, NoReg}
	NoRegs10 = [10]uint8{NoReg, NoReg, NoReg, NoReg, NoReg, NoReg, NoReg, NoReg, NoReg, NoReg}
)

// Place is where an instruction was written. A part that is not known is empty.
type Place struct {
	File string // that the simulator reads, such as a PTX file
	Line int    // in it, from 1
	Text string // of the line, or of the instruction
	// Source and SourceLine are what a compiler made the line from.
	Source     string
	SourceLine int
}

// Locator is a Stream that knows where its instructions were written.
type Locator interface {
	// Place is the place of an instruction by its PC, zero if the stream does not
	// know it.
	Place(pc uint32) Place
}

// PlaceOf is the place of the instruction of a stream at a PC, zero if the stream does not
// know.
func PlaceOf(s Stream, pc uint32) Place {
	if l, ok := s.(Locator); ok {
		return l.Place(pc)
	}
	return Place{}
}

// Spinner is a Stream that knows whether its warp is in a loop that it cannot leave as long as nothing else
// writes memory.
type Spinner interface {
	// Spins reports that, and says what the warp waits for, "" if it reads no memory there.
	Spins() (what string, spins bool)
}

// Where says where the instruction of a stream at a PC was written: FILE:LINE, and where
// that comes from, or the PC if the stream does not know.
func Where(s Stream, pc uint32) string {
	switch p := PlaceOf(s, pc); {
	case p.File == "":
		return fmt.Sprintf("PC %#x", pc)
	case p.Source != "":
		return fmt.Sprintf("%s:%d (%s:%d)", p.File, p.Line, p.Source, p.SourceLine)
	default:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
}

// Stream yields one warp's instructions in program order.
type Stream interface {
	// Fetch sets *inst to the next instruction and reports true, or reports
	// false at the end of the warp. Class, Dst, Src, PC, Space and Multiply and
	// MultiplyAdd of Flags are final; Active, the other flags, the addresses and
	// the barrier may be left to Execute.
	Fetch(inst *Inst) bool
	// Execute completes the instruction that the last Fetch returned. The SM
	// calls it exactly once for each, when the instruction issues.
	Execute(inst *Inst)
}
