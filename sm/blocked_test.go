package sm

import (
	"testing"

	"cotenant/protocol"

	"github.com/stretchr/testify/require"
)

// notices are the cycles at which the driver hears that a thread block waits, or goes on.
func (b *bench) notices(on bool) (cycles []uint64) {
	for _, m := range b.driver.Got {
		if n, ok := m.Msg.(*protocol.TBBlocked); ok && n.On == on {
			cycles = append(cycles, m.Cycle)
		}
	}
	return cycles
}

// A thread block is blocked when nothing of it is in flight, and nothing waits that can
// go on: here one warp waits for a page, and another, at a barrier, for a load first and
// for what depends on it.
func TestThreadBlockIsBlockedWhenNothingOfItCanGoOn(t *testing.T) {
	for _, scheme := range []string{"replay-queue", operandLog} {
		for _, chain := range []int{0, 20} {
			b := newBench(t, queuedSpec(scheme, 2))
			b.sm.tells = true
			b.migrates(5000).mmu.missing = func(region uint64) protocol.Fault {
				if region == 0 {
					return protocol.NoFault
				}
				return protocol.Migrate
			}
			b.place(0, program(load(1, 0x10000), use(1)), program(load(1, 0), alu(chain), meetAll, step))
			b.Run()
			came := b.memory.at[0] + memoryLatency + 1
			require.Equal(t, []uint64{came + uint64(4*chain) + 1}, b.notices(true), "%s, %d behind the load", scheme, chain)
			require.Equal(t, []uint64{b.mmu.at[0] + 1}, b.notices(false))
		}
	}
}
