package sass

// Options switch the rules off one by one. The zero value has all on.
type Options struct {
	// KeepMoves counts register copies, moves of constants, ld.param and cvta
	// as an instruction each. A compiler's register allocation leaves none.
	KeepMoves bool
	// Narrow64 counts 64-bit integer operations as one instruction.
	Narrow64 bool
	// KeepDivisions counts div, rem and sqrt as one instruction.
	KeepDivisions bool
	// KeepBranches counts short forward branches, which a compiler turns into
	// predication.
	KeepBranches bool
}

// predicated is the length up to which a compiler predicates the instructions
// that a forward branch jumps over.
const predicated = 7
