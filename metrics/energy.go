package metrics

// Events are a GPU's events in a run that take energy.
type Events struct {
	// Seconds is the length of the run, SMs the number of SMs, used or not.
	Seconds float64
	SMs     float64
	// Instructions are thread instructions: the active lanes of issued instructions, and all lanes
	// of a product's further steps.
	Instructions float64
	// TensorMultiplyAdds are multiplications, each with an addition, of products of tensor cores.
	TensorMultiplyAdds float64
	// SharedPasses are the cycles of shared memories at work for warp instructions, bank
	// conflicts included; L1Accesses are loads, stores and atomics that an L1 took, one for
	// each line of a warp instruction.
	SharedPasses, L1Accesses float64
	// L1Sectors are the sectors of 32 bytes that loads touched in L1s and that stores wrote
	// through them. An atomic, and a load past the L1, counts as a whole line.
	L1Sectors float64
	// L2Bytes are data that L2 slices gave to SMs or took from them. Flits are flits of both
	// crossbars, in units of FlitBytes.
	L2Bytes, Flits float64
	// Activates are rows that DRAM channels opened, DRAMBytes the data they read and
	// wrote.
	Activates, DRAMBytes float64
}

// Without are the events without some of them. Counts are whole numbers, so nothing is rounded.
func (e Events) Without(some Events) Events {
	return Events{e.Seconds - some.Seconds, e.SMs - some.SMs, e.Instructions - some.Instructions, e.TensorMultiplyAdds - some.TensorMultiplyAdds,
		e.SharedPasses - some.SharedPasses, e.L1Accesses - some.L1Accesses, e.L1Sectors - some.L1Sectors, e.L2Bytes - some.L2Bytes, e.Flits - some.Flits, e.Activates - some.Activates, e.DRAMBytes - some.DRAMBytes}
}

// FlitBytes is the payload of a flit of Events.
const FlitBytes = 32

// Energies are the energies of events in joules, and two powers in watts.
//
// An access of an L1 takes L1Access, and L1Sector for each of its sectors. A table has the first
// if its GPU's L1 reads whole lines, the second if it reads single sectors.
type Energies struct {
	Instruction float64 // of a thread instruction, whatever its class
	// TensorMultiplyAdd is the energy of a multiplication with its addition in a tensor core,
	// beside the instruction's.
	TensorMultiplyAdd float64
	SharedPass        float64
	L1Access          float64
	L1Sector          float64
	L2Byte            float64
	Flit              float64
	Activate          float64 // in all devices of a channel
	DRAMByte          float64
	SMPower, Static   float64 // of each SM, and of the rest of the GPU with its memory
	// Registers is the part of Instruction for register accesses, on an SM of the base kind
	// (WithRegisters); Energy does not add it.
	Registers float64
}

// Maxwell are energies of a GPU like the GTX 980 with GDDR5, compiled from publications on GPUs
// of about its process, 28 nm. They compare the energy of two runs on one GPU, and by how much
// about: claim ratios only. No sum has been compared with a real card; a busy GPU of 16 SMs
// takes 100 to 200 W.
//
// Sources, by letter:
//
//	J  GPUJoule, measured on a Tesla K40 (28 nm, GDDR5): transactions from shared
//	   memory to registers 5.32 pJ a bit, L1 to registers 5.85, L2 to L1 15.48, DRAM to L2
//	   30.55 (Arunkumar et al., "Understanding the Future of Energy Efficiency in
//	   Multi-Module GPUs", HPCA 2019)
//	N  Nvidia's energy budget of a 28 nm chip: 64 bits over 20 mm of wires 250 pJ, a
//	   fused multiply-add of 64 bits 40 pJ, an access to a register file 2 pJ (as
//	   printed in BMC Bioinformatics 2018, s12859-018-2389-6, Table 7)
//	D  DRAMsim3, configs/GDDR5_8Gb_x32.ini, with currents that its author calls estimates:
//	   1.5 V; IDD0 75, IDD3N 55, IDD2N 45 mA; tRAS 28, tRP 12 ns
//	G  GPGPU-Sim, configs/GTX480/gpuwattch_gtx480.xml: an idle SM 1.59 W
//	A  AccelWattch, SM6_TITANX/accelwattch_sass_sim.xml: constant power 32.3 W
//
// All instructions take the same energy, since their classes are not counted, and each lane the
// same, whether 2 or 32 are active. A product of a tensor core takes more (tensorMultiplyAdd).
var Maxwell = Energies{
	// Our choice: above the 40 + 3 x 2 pJ of the unit and its registers (N), as
	// fetching and scheduling come on top, and far below the 200 pJ for each
	// operation of a whole GPU at 40 nm, data and leakage included (Keckler, "GPUs and the
	// Future of Parallel Computing", IEEE Micro 2011, and his talks).
	Instruction:       60e-12,
	TensorMultiplyAdd: 60e-12 * tensorMultiplyAdd,
	SharedPass:        128 * 8 * 5.32e-12, // J: 32 lanes of 4 bytes
	L1Access:          128 * 8 * 5.85e-12, // J: as much
	// J, less the crossbar's part, which the flits have.
	L2Byte: 8*15.48e-12 - crossbarByte,
	Flit:   FlitBytes * crossbarByte, // N: 32 bytes over 20 mm, the side of the GTX 980's die (398 mm2)
	// D: V x (IDD0 x tRC - IDD3N x tRAS - IDD2N x tRP) in each of the two devices of 32
	// bits that make a channel of 64.
	Activate: 2 * 1.5 * (75*40 - 55*28 - 45*12) * 1e-12,
	DRAMByte: 8 * 30.55e-12, // J: with the controller and the way to the L2; activations of long streams are next to nothing
	SMPower:  1.59,          // G; no SM is switched off
	Static:   32.3,          // A
	// N: two operands and a result.
	Registers: 3 * 2e-12,
}

// crossbarByte is the energy of a byte's way through a crossbar in joules: 8 of 64
// bits that take 250 pJ over 20 mm (Maxwell, N).
const crossbarByte = 250e-12 / 8

// tensorMultiplyAdd is the energy of a multiplication with its addition in a tensor core, as a part of
// an Instruction. A step of a tensor core (HMMA) takes 110 pJ, an instruction 30 pJ for fetching,
// decoding and operands, and its two multiplications of 16 bits with additions 1.5 pJ more (Dally, "Deep
// Learning Hardware", MLSys 2021, slide 19: estimates for 45 nm). The slide does not say how much a step
// does: here it is a product of 4 x 4 by 4 x 4 numbers, what a core of Volta does in a cycle (choice).
// Products of other types take the same.
const tensorMultiplyAdd = 110.0 / (4 * 4 * 4) / (30 + 1.5)

// Energy is the energy of the events in joules.
func (c *Energies) Energy(e Events) float64 {
	return c.Instruction*e.Instructions + c.TensorMultiplyAdd*e.TensorMultiplyAdds + c.SharedPass*e.SharedPasses + c.L1Access*e.L1Accesses + c.L1Sector*e.L1Sectors +
		c.L2Byte*e.L2Bytes + c.Flit*e.Flits + c.Activate*e.Activates + c.DRAMByte*e.DRAMBytes +
		(c.SMPower*e.SMs+c.Static)*e.Seconds
}

// EnergyParts are the parts of an energy in joules.
type EnergyParts struct {
	Instructions float64 `json:"instructions"` // with products of tensor cores
	Shared       float64 `json:"shared"`       // memory of SMs
	L1           float64 `json:"l1"`
	L2           float64 `json:"l2"`
	Crossbars    float64 `json:"crossbars"`
	DRAM         float64 `json:"dram"`
	Idle         float64 `json:"idle"` // what SMs, and the rest of the GPU, take whether busy or not
}

// Parts are the parts of Energy.
func (c *Energies) Parts(e Events) EnergyParts {
	return EnergyParts{Instructions: c.Instruction*e.Instructions + c.TensorMultiplyAdd*e.TensorMultiplyAdds, Shared: c.SharedPass * e.SharedPasses,
		L1: c.L1Access*e.L1Accesses + c.L1Sector*e.L1Sectors, L2: c.L2Byte * e.L2Bytes, Crossbars: c.Flit * e.Flits, DRAM: c.Activate*e.Activates + c.DRAMByte*e.DRAMBytes, Idle: (c.SMPower*e.SMs + c.Static) * e.Seconds}
}

// Since are the parts without an earlier energy's.
func (p EnergyParts) Since(q EnergyParts) EnergyParts {
	return EnergyParts{p.Instructions - q.Instructions, p.Shared - q.Shared, p.L1 - q.L1, p.L2 - q.L2, p.Crossbars - q.Crossbars, p.DRAM - q.DRAM, p.Idle - q.Idle}
}

// Sum is the whole energy.
func (p EnergyParts) Sum() float64 {
	return p.Instructions + p.Shared + p.L1 + p.L2 + p.Crossbars + p.DRAM + p.Idle
}

// InstructionsPerWatt is the thread instructions of a run over its mean power (QoS
// 4.7). Of two runs of one length it is as their instructions per joule. It is not
// defined for a run that took no time.
func (c *Energies) InstructionsPerWatt(e Events) float64 {
	return quotient(e.Instructions, quotient(c.Energy(e), e.Seconds))
}
