package wiring

import (
	"errors"
	"fmt"
	"testing"

	"cotenant/protocol"
	"cotenant/workload"

	"github.com/stretchr/testify/require"
)

func TestPlaceOfALineIsItsArrayOrTheNearestOnBothSides(t *testing.T) {
	list := arrays()
	for line, want := range map[uint64]string{
		0x10080: "in array in (0x10000 to 0x100ff)",
		0x10100: "in array constants (0x10100 to 0x101ff, read only)",
		0xff80:  "which is 128 bytes before in (0x10000 to 0x100ff)",
		0x13000: "which is 0 bytes behind out (0x10200 to 0x12fff) and 53248 bytes before table (0x20000 to 0x20fff, read only)",
		0x20800: "in array table (0x20000 to 0x20fff, read only)", // where an array without bytes is, too
		0x71800: "which is 0 bytes behind beside them (0x70800 to 0x717ff)",
	} {
		require.Equal(t, want, within(list, line), "%#x", line)
		require.Equal(t, want, within(reversed(list), line), "%#x", line)
	}
	require.Equal(t, "in array byte (0x17f to 0x17f)", within([]workload.Array{{Name: "byte", Addr: 0x17f, Bytes: 1}}, 0x100), "the last of the line")
	require.Equal(t, "which is 128 bytes behind byte (0x17f to 0x17f)", within([]workload.Array{{Name: "byte", Addr: 0x17f, Bytes: 1}}, 0x200))
}

func TestPlaceSaysWhatIsValid(t *testing.T) {
	only := []workload.Array{{Name: "c", Addr: 0x1000, Bytes: 16, ReadOnly: true}}
	require.Equal(t, "in array c (0x1000 to 0x100f, read only); valid: writes to none of the arrays", place(only, 0x1000, protocol.ReadOnly))
	var many []workload.Array
	for i := range uint64(10) {
		many = append(many, workload.Array{Name: fmt.Sprintf("a%d", i), Addr: i << 12, Bytes: 1})
	}
	require.Contains(t, place(many, 0, protocol.ReadOnly), "a7 (0x7000 to 0x7000), and 2 more")
	require.NotContains(t, place(many[:8], 0, protocol.ReadOnly), "more")
}

func TestOtherErrorsStayAsTheyAre(t *testing.T) {
	err := errors.New("other")
	require.Equal(t, err, (&Platform{}).explain(err))
}
