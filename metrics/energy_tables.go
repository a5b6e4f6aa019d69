package metrics

import (
	"fmt"
	"strings"
)

// GV100 are energies of a Quadro GV100 with HBM2 at 1417 MHz, fitted on the mean power of the
// card in five kernels, as the authors of AccelWattch measured it (MICRO 2021;
// hw_power_validation_volta.csv in accel-sim/accel-sim-framework at 2260456). Least squares of
// the relative errors gave three numbers: Static, Instruction, and memoryOfGV100, the part of
// Maxwell's energies that an event of memory takes. Lines of Volta's L1 have sectors, and the
// published energy is of a bit, so a sector takes its part of a line's (choice). Of the ten kernels of
// reproduce silicon-gv100 --quick, the five have the most thread instructions a second (hotspot),
// loads of the L1 (b+tree, findRangeK), traffic of the DRAM (fastWalshTransform, fwtBatch2) and
// accesses of shared memory (histogram), and the least power (dct8x8, 1DCT). docs/silicon.md has
// what comes out for all.
//
// Static holds what the card takes while it is busy, whatever it does. An instruction takes the
// same whatever its class and its operands; none of the five kernels has products of tensor cores,
// which tensorMultiplyAdd adds.
var GV100 = Energies{
	Instruction:       13.61e-12,
	TensorMultiplyAdd: 13.61e-12 * tensorMultiplyAdd,
	SharedPass:        memoryOfGV100 * Maxwell.SharedPass,
	L1Sector:          memoryOfGV100 * Maxwell.L1Access / 4, // a line has four
	L2Byte:            memoryOfGV100 * Maxwell.L2Byte,
	Flit:              memoryOfGV100 * Maxwell.Flit,
	Activate:          memoryOfGV100 * Maxwell.Activate,
	DRAMByte:          memoryOfGV100 * Maxwell.DRAMByte,
	Static:            91.01,
}

const memoryOfGV100 = 0.04471

// EnergyTable are energies with a name.
type EnergyTable struct {
	Name string
	// About says in a line where they are from, and what they are good for.
	About string
	Energies
}

var energyTables = []EnergyTable{
	{"maxwell", "energies of events for a GPU of 28 nm like the GTX 980, from publications (metrics.Maxwell); compare runs on one GPU by ratios only", Maxwell},
	{"gv100", "energies of events for a Quadro GV100, fitted on the measured power of five kernels (metrics.GV100)", GV100},
}

// EnergiesOf finds a table by its name; "" is maxwell.
func EnergiesOf(name string) (*EnergyTable, error) {
	var names []string
	for i := range energyTables {
		if t := &energyTables[i]; t.Name == name || name == "" {
			return t, nil
		}
		names = append(names, energyTables[i].Name)
	}
	return nil, fmt.Errorf("energies is %q; valid: %s", name, strings.Join(names, ", "))
}
