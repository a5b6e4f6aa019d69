package ptx

import (
	"strings"

	"cotenant/workload"
)

// Type is a PTX fundamental type.
type Type uint8

// The types. Bxx are untyped bits; Pred is a predicate.
const (
	NoType Type = iota
	B8
	B16
	B32
	B64
	U8
	U16
	U32
	U64
	S8
	S16
	S32
	S64
	F16
	F32
	F64
	// Types of instructions alone: registers and variables that hold them are bits. A type
	// x2 is a pair, of which the first is in the lower half.
	F16x2
	BF16
	BF16x2
	TF32
	E4M3x2
	E5M2x2
	F32x2
	U16x2
	S16x2
	Pred
	numTypes
)

// Space is a PTX state space.
type Space uint8

// The state spaces. Generic addresses carry their space in their value.
const (
	Generic Space = iota
	Param
	Global
	Shared
	Const
	Local
)

// Module is a PTX file, or several that are linked.
type Module struct {
	File    string // the first
	Version string // of PTX, such as 7.8
	Target  string // such as sm_52
	// Vars are the module's variables in the spaces Global, Const and Shared,
	// and its texture references.
	Vars  []*Var
	Funcs []*Func
	// Notes are what a user of the files should know, in a line each.
	Notes []string
}

// Var is a variable in memory.
type Var struct {
	Name  string
	Space Space
	Type  Type // of an element
	Align int  // bytes
	Bytes int  // size; 0 for dynamic shared memory (extern, without size)
	Init  []byte
	// Links are the addresses of other variables that Init leaves room for.
	Links []Link
	// Texture says that the variable is a texture reference (.texref).
	Texture bool
	Line    int
}

// Link is an address in the initial value of a variable: 8 bytes at Offset that
// hold the address of Var plus Add, a generic address if Generic is set.
type Link struct {
	Offset  int
	Var     *Var
	Add     int64
	Generic bool
}

// Func is a kernel (.entry) or a device function (.func).
type Func struct {
	Name    string
	Entry   bool
	Params  []*Var // in the space Param; Offset in the parameter block is the sum of sizes with alignment
	Returns []*Var
	// Vars are the variables that the body declares, in the spaces Shared,
	// Local and Param (the arguments of calls).
	Vars []*Var
	// Regs are the types of the virtual registers, by number. Predicates are
	// registers too.
	Regs  []Type
	Names []string // of the registers, for messages
	Insts []Inst
	File  string
	Line  int
	// Source is the file's text and line table; nil if the function is from no file.
	Source *Source
	// MaxThreads is the most threads that a thread block of the kernel may have
	// (.maxntid), 0 if it does not say.
	MaxThreads int
	// Block is the size that its thread blocks must have (.reqntid), zero if it
	// does not say.
	Block workload.Dim3
	// Cluster is the size that its clusters must have, in thread blocks (.reqnctapercluster), zero if it
	// does not say. ExplicitCluster asks for a size from there or from the launch (.explicitcluster).
	Cluster         workload.Dim3
	ExplicitCluster bool
	// MaxCluster is the most thread blocks that a cluster may have (.maxclusterrank), 0 if it does not say.
	MaxCluster int
	// Cycle numbers, from 1 on, the groups of functions that call each other, so that a thread may be in one
	// several times. It is 0 if nothing that the function calls leads back to it.
	Cycle int
	// Fault says what in the function cannot be run, nil if nothing. It is an
	// error of whatever is to run the function; one with a fault has no
	// instructions, and no parameters if they are what is wrong.
	Fault error
}

// OperandKind says what an Operand is.
type OperandKind uint8

// The kinds of operands.
const (
	NoOperand  OperandKind = iota
	Register               // Reg
	Immediate              // Imm: bits of an integer, or of an f64 or f32 as the instruction's type asks
	Special                // Special register Imm (see SpecialRegister)
	Address                // Var or Reg (either may be absent) plus Imm
	AddressOf              // the address of Var plus Imm, as a value (mov)
	Vector                 // Elems
	Underscore             // a result that is not wanted
	FuncName               // Func: the function that a call names
)

// Operand is an operand of an instruction.
type Operand struct {
	Kind  OperandKind
	Type  Type // as which the instruction takes a single value, or writes it
	Not   bool // a predicate operand is negated (!p)
	Float bool // the immediate was written as a floating-point number; Imm has the bits of an f64
	Reg   int  // number in Func.Regs; -1 if an Address has none
	Imm   uint64
	Var   *Var
	Func  *Func
	Elems []Operand // of a Vector
}

// Inst is one instruction.
//
// Dst and Src hold the operands in the order of the text: Dst what is written
// to registers, so nothing for st, red, bra and bar.sync. Forms that are not
// plain:
//
//	setp p|q, shfl d|p, match d|p   Dst are the two
//	st, red                         Src is the Address, then the value
//	atom                            Src is the Address, then b (and c)
//	tex                             Src[0] is the Address of the texture (Var, or
//	                                Reg for a handle), Src[1] a Vector of coordinates
//	call                            Src[0] is the FuncName (a call through a pointer has become
//	                                a brx.idx to several calls), the rest of Src and Dst are
//	                                Addresses of Param variables, one for each of the
//	                                function's Params and Returns
//	brx.idx                         Src[0] is the index into Targets
//	wgmma.mma_async                 Src ends with what is in the registers of Dst before
//	brkpt                           is read as trap
type Inst struct {
	Line int
	// Op is the operation's name without modifiers, such as ld, mad or setp.
	Op string
	// Mods are the modifiers in order, types and spaces included, such as
	// "global", "nc", "v4", "f32".
	Mods []string
	// Types are the types among the modifiers, in order: result first.
	Types []Type
	Space Space // of ld, st, atom, red, cvta and the like; Generic if none is named
	Vec   int   // 1, 2 or 4
	// InCluster says that the space is .shared::cluster, which holds the shared memory of all thread blocks of
	// the cluster.
	InCluster bool
	// Guard is the register of the guarding predicate, -1 if there is none.
	Guard    int
	GuardNot bool
	Dst, Src []Operand
	// Target is the index of a branch's target, -1 for other instructions; it is
	// len(Func.Insts) if the target is the end of the function.
	Target int
	// Targets are the targets of brx.idx.
	Targets []int
	// Neighbours says of an mma that it is part of a wmma, see tensor.Shape.
	Neighbours bool
	// Prints is set for the store of the result of vprintf, which prints then.
	Prints *Print
	// Asserts is set for the trap of a failed assertion.
	Asserts *Assertion
	// OfPointer is set for the branch that a call through a pointer becomes, and for the trap if the pointer is to
	// none of the functions that can be called so.
	OfPointer bool
}

// Assertion has the arguments of __assertfail: variables in the space Param that hold the generic addresses of
// the text, the file and the function, and the line.
type Assertion struct{ Text, File, Line, Function *Var }

// Print has the arguments of vprintf: variables in the space Param that hold generic addresses, of the
// format and of the values.
type Print struct{ Format, Values *Var }

// Opcode is the operation with its modifiers, such as ld.global.f32.
func (i *Inst) Opcode() string { return opcode(i.Op, i.Mods) }

func opcode(op string, mods []string) string {
	if len(mods) == 0 {
		return op
	}
	return op + "." + strings.Join(mods, ".")
}

// Has reports whether the instruction has a modifier.
func (i *Inst) Has(mod string) bool {
	for _, m := range i.Mods {
		if m == mod {
			return true
		}
	}
	return false
}
