package dispatcher

import (
	"fmt"
	"testing"

	"cotenant/components/occupancy"
	"cotenant/workload"

	"github.com/stretchr/testify/require"
)

// chip has the limits of compute capability 2.x, and room for more.
var chip = Spec{Grid: Extent{65535, 65535, 65535}, Block: Extent{1024, 1024, 64}, ThreadsPerTB: 1024, RegistersPerThread: 63, SharedBytesPerTB: 49152}

var roomy = []SM{{Capacity: occupancy.Capacity{TBs: 32, Threads: 4096, Warps: 128, Registers: 1 << 20, SharedOptions: []int{98304}}}}

func TestLaunchIsHeldAgainstTheLimitsOfTheChip(t *testing.T) {
	fits := func() *workload.Kernel {
		return &workload.Kernel{Name: "k", Grid: workload.Dim3{X: 65535, Y: 65535, Z: 1}, Block: workload.Dim3{X: 16, Y: 1, Z: 64},
			RegistersPerTB: 63 * 1024, SharedBytesPerTB: 49152, Origin: "mine.yaml:7"}
	}
	app := func(k *workload.Kernel) *workload.App {
		return &workload.App{Name: "app", Ops: []workload.Op{{Kernel: k}}}
	}
	require.NoError(t, chip.Check(roomy, app(fits())), "what is just within every limit can be launched")
	for want, change := range map[string]func(*workload.Kernel){
		"65536 thread blocks along x; valid: at most 65535, driver.grid.x of the GPU":                              func(k *workload.Kernel) { k.Grid.X++ },
		"70000 thread blocks along y; valid: at most 65535, driver.grid.y of the GPU":                              func(k *workload.Kernel) { k.Grid.Y = 70000 },
		"65536 thread blocks along z; valid: at most 65535, driver.grid.z of the GPU":                              func(k *workload.Kernel) { k.Grid.Z = 65536 },
		"1040 threads a thread block; valid: at most 1024, driver.threads_per_tb of the GPU":                       func(k *workload.Kernel) { k.Block = workload.Dim3{X: 65, Y: 16, Z: 1} },
		"128 threads along z; valid: at most 64, driver.block.z of the GPU":                                        func(k *workload.Kernel) { k.Block = workload.Dim3{X: 8, Y: 1, Z: 128} },
		"64 registers a thread; valid: at most 63, driver.registers_per_thread of the GPU":                         func(k *workload.Kernel) { k.RegistersPerTB++ },
		"60000 bytes of shared memory a thread block; valid: at most 49152, driver.shared_bytes_per_tb of the GPU": func(k *workload.Kernel) { k.SharedBytesPerTB = 60000 },
	} {
		k := fits()
		change(k)
		require.EqualError(t, chip.Check(roomy, app(k)), "mine.yaml:7: kernel k: "+want)
		k.AnyShape = true
		if err := chip.Check(roomy, app(k)); k.ThreadsPerTB() <= 1024 && k.SharedBytesPerTB <= 49152 && k.RegistersPerTB <= 63*1024 {
			require.NoError(t, err, "a number of thread blocks can be had in some shape")
		}
		require.NoError(t, (&Spec{}).Check(roomy, app(k)), "0 is no limit")
	}
}

func TestLimitsAreNotNegative(t *testing.T) {
	s := chip
	s.Block.Y = -1
	require.EqualError(t, s.Validate(), "block.y is -1, must be at least 1, or 0 for no limit")
}

func TestThreadBlocksOffTheChipAreBounded(t *testing.T) {
	for extra, valid := range map[int]bool{-1: false, 0: true, 64: true, 65: false} {
		s := Spec{BlockSwitching: SwitchingSpec{Extra: extra}}
		if valid {
			require.NoError(t, s.Validate(), extra)
		} else {
			require.EqualError(t, s.Validate(), fmt.Sprintf("block_switching.extra is %d, must be 0 to 64", extra))
		}
	}
}
