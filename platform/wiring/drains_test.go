package wiring

import (
	"testing"

	"cotenant/sm"
	"cotenant/tenant"

	"github.com/stretchr/testify/require"
)

func TestThreadBlockThatNeverDrainsIsAnError(t *testing.T) {
	stuck := sm.Leaving{Serial: 7, TB: 3, Account: tenant.ID(1).Account(0), Pending: 5}
	for name, c := range map[string]struct {
		change func(l *sm.Leaving, cycle uint64)
		err    string
	}{
		"stands still": {func(*sm.Leaving, uint64) {},
			"SM 1: thread block 3 of tenant 1 (app) is to leave, and nothing of it has moved since cycle 100000: 5 of its instructions have not completed"},
		"moved once": {func(l *sm.Leaving, cycle uint64) {
			if cycle >= 200_000 {
				l.Pending = 4
			}
		}, "SM 1: thread block 3 of tenant 1 (app) is to leave, and nothing of it has moved since cycle 200000: 4 of its instructions have not completed"},
		"moves":              {func(l *sm.Leaving, cycle uint64) { l.Pending -= int(cycle / 1_000_000) }, ""},
		"waits for a fault":  {func(l *sm.Leaving, cycle uint64) { l.Faulted = true }, ""},
		"leaves":             {func(l *sm.Leaving, cycle uint64) { l.Serial += cycle / 900_000 }, ""},
		"comes to other SMs": {func(l *sm.Leaving, cycle uint64) { l.Serial = cycle }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var d drains
			var err error
			cycle := uint64(0)
			for ; err == nil && cycle < 3_000_000; cycle += 100_000 {
				err = d.look(cycle, 2, func(i int) []sm.Leaving {
					if i == 0 || cycle == 0 {
						return nil
					}
					l := stuck
					c.change(&l, cycle)
					return []sm.Leaving{l}
				}, func(int) string { return "app" })
			}
			if c.err == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, c.err)
		})
	}
}
