package sass

import (
	"testing"

	"cotenant/workload"

	"github.com/stretchr/testify/require"
)

func TestLoadsThatMayTakeTheReadOnlyPathAreMarked(t *testing.T) {
	for text, want := range map[string]workload.Flags{
		"ld.global.nc.f32 %f1, [%x1];":           workload.ReadOnly,
		"ld.global.nc.v2.f32 {%f1, %f2}, [%x1];": workload.ReadOnly,
		"ld.global.f32 %f1, [%x1];":              0,
		"st.global.f32 [%x1], %f1;":              0,
	} {
		require.Equal(t, want, Lower(function(t, text), Options{}).At(0)[0].Flags, text)
	}
}
