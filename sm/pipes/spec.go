// Package pipes models the execution pipes of an SM: which pipe takes an instruction, when
// it can take the next one, and when a result is there.
package pipes

import (
	"fmt"
	"strings"

	"cotenant/components/limits"
	"cotenant/sm/warps"
)

// PipeSpec holds the parameters of one kind of execution pipe.
type PipeSpec struct {
	// Interval is the number of cycles from one instruction to the next: warp
	// size divided by lanes.
	Interval int `yaml:"interval" range:"1..1023"`
	// Latency is the number of cycles from an instruction's issue to the earliest issue
	// of a dependent instruction.
	Latency int `yaml:"latency" range:"1..1023"`
	// PerSM says that the schedulers share the pipes and take turns; otherwise each
	// scheduler has its own.
	PerSM bool `yaml:"per_sm"`
	// Units is the number of these pipes that the SM has with PerSM, and each
	// scheduler without, 1 to 16 (Kepler: 6 of 32 lanes for 4 schedulers).
	Units int `yaml:"units" range:"1..16"`
}

// Spec holds the parameters of the arithmetic pipes, and of the ways to all
// pipes.
type Spec struct {
	ALU    PipeSpec `yaml:"alu"`    // single precision, and integers unless Int has pipes for them
	FP64   PipeSpec `yaml:"fp64"`   // double precision
	SFU    PipeSpec `yaml:"sfu"`    // special functions
	Tensor PipeSpec `yaml:"tensor"` // matrix multiply
	// Int is the pipes of integer instructions; none, with which pipes.alu executes them,
	// unless it has an interval.
	Int IntSpec `yaml:"int,omitempty" json:",omitzero" range:"-"`
	// IMul is the pipe that multiplies integers (IMUL), and IMad the pipe that also
	// adds: IMAD, XMAD and dot products of machine code. A 64-bit product takes
	// several of the latter. GPGPU-Sim 3.2.2 runs both on its special-function unit
	// (cuda-sim.cc, set_opcode_and_latency).
	IMul UnitSpec `yaml:"imul"`
	IMad UnitSpec `yaml:"imad"`
	// Constant is the pipe of constant loads that are instructions of their own (LDC,
	// ULDC). In an arithmetic pipe all of them hit, and the load-store unit's constant
	// cache is idle (Accel-Sim: integer instructions). Empty: the load-store unit.
	Constant UnitSpec `yaml:"constant"`
	// Convert is the pipe of conversions that count as special functions: F2I, I2F, F2F
	// and FRND (Accel-Sim: integer instructions). Empty: the special-function unit.
	Convert UnitSpec `yaml:"convert"`
	// Half is the pipe of arithmetic on 16-bit numbers, alone or in pairs: HADD2, HMUL2 and
	// HFMA2. Empty: as single precision.
	Half UnitSpec `yaml:"half,omitempty" json:",omitzero"`
	// Matrix is the unit of matrix products, the class of tensor instructions. Empty: the
	// tensor pipes.
	Matrix UnitSpec `yaml:"matrix,omitempty" json:",omitzero"`
	// BranchInterval is the number of cycles from one branch that a scheduler issues
	// to its next, and BarrierInterval from one barrier to the next, 0 to 1023. 0 or
	// 1: they take an issue slot alone. Branches are all transfers of control and
	// what prepares them, BSSY and BSYNC too. Four schedulers that each issue a
	// barrier every second cycle let 64 threads a cycle arrive (CUDA programming guide,
	// throughput of compute capability 5.x).
	BranchInterval  int `yaml:"branch_interval" range:"0..1023"`
	BarrierInterval int `yaml:"barrier_interval" range:"0..1023"`
	// MemoryIssuePerSM says that the schedulers together issue one memory
	// instruction in a cycle at most, in turn; otherwise each may issue one (GPGPU-Sim
	// 3.2.2, configs/GTX480, gpgpu_pipeline_widths: one).
	MemoryIssuePerSM bool `yaml:"memory_issue_per_sm"`
}

// UnitSpec holds the parameters of instructions that can go to another pipe than the
// rest of their class.
type UnitSpec struct {
	// Unit is the pipe that takes them: alu, int, fp64, sfu, or a registered unit. Empty: they
	// go where their class does, and Interval and Latency count for nothing.
	Unit string `yaml:"unit"`
	// Interval is the number of cycles until the pipe takes the next instruction.
	// Latency is the number from the issue to the earliest issue of a dependent
	// instruction.
	Interval int `yaml:"interval" range:"1..1023" if:"unit"`
	Latency  int `yaml:"latency" range:"1..1023" if:"unit"`
}

// detours are the pipes that a UnitSpec can name; registered units come in addition.
var detours = map[string]warps.Unit{"alu": warps.ALU, "int": warps.Int, "fp64": warps.FP64, "sfu": warps.SFU}

func (p *PipeSpec) timing() timing { return timing{uint16(p.Interval), uint16(p.Latency)} }

// named are the kinds of instructions that can name their unit.
func (s *Spec) named() [6]*UnitSpec {
	return [...]*UnitSpec{&s.IMul, &s.IMad, &s.Constant, &s.Convert, &s.Half, &s.Matrix}
}

// namedKeys are their keys.
var namedKeys = [6]string{"imul", "imad", "constant", "convert", "half", "matrix"}

// Validate reports kinds of instructions that name different registered units: an SM has
// one.
func (s *Spec) Validate() error {
	if err := limits.Check(s); err != nil {
		return err
	}
	if err := s.Int.validate(&s.ALU); err != nil {
		return fmt.Errorf("int.%w", err)
	}
	for i, m := range s.named() {
		if m.Unit == "int" && s.Int.Interval == 0 {
			return fmt.Errorf("%s.unit is int, which goes with int.interval above 0", namedKeys[i])
		}
	}
	first := ""
	for _, m := range s.named() {
		switch {
		case units[m.Unit] == nil:
		case first != "" && first != m.Unit:
			return fmt.Errorf("units are %q and %q; an SM has one registered unit", first, m.Unit)
		default:
			first = m.Unit
		}
	}
	return nil
}

// Validate reports the first field that is out of range, by its name.
func (m *UnitSpec) Validate() error {
	if _, ok := detours[m.Unit]; !ok && m.Unit != "" && units[m.Unit] == nil {
		return fmt.Errorf("unit is %q, must be %s, or empty", m.Unit, strings.Join(unitNames(), ", "))
	}
	return limits.Check(m)
}
