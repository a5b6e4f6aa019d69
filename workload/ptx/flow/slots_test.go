package flow

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRegistersSharePlacesOnlyWhereTheirValuesDoNotMeet(t *testing.T) {
	f := function(t, `
	mov.u32 %r10, %tid.x;
	add.u32 %r1, %r10, 1;
	add.u32 %r2, %r1, 1;
	add.u32 %r3, %r2, 1;
	mov.u32 %r4, 5;
	mov.u32 %r8, 0;
$again:
	add.u32 %r5, %r4, %r3;
	add.u32 %r6, %r5, %r9;
	add.u32 %r9, %r6, 1;
	add.u32 %r8, %r8, 1;
	setp.lt.u32 %p1, %r8, %r10;
	@%p1 bra $again;
	add.u32 %r1, %r6, %r9;
	st.global.u32 [%rd1], %r1;`)
	slots, n, _ := ShareSlots(f)
	register := map[string]int{}
	for r, name := range f.Names {
		register[name] = r
	}
	shared := func(a, b string) bool { return slots[register[a]] == slots[register[b]] }
	require.False(t, shared("%r2", "%r3"), "an instruction reads the one and writes the other")
	for _, name := range []string{"%r5", "%r6", "%r8", "%r9"} {
		require.False(t, shared("%r4", name), "the loop needs %%r4 again, as well as %s", name)
	}
	require.False(t, shared("%r9", "%r1"), "read before it is written: it holds zero from the start")
	require.Less(t, n, 10, "registers that are not used at the same time share")
}
