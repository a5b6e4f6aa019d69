package exec

import (
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/workload/ptx"
)

// What is checked is what a launch can come to, however it is called.
func TestKernelsCompileBesideFunctionsThatCannotRun(t *testing.T) {
	m, err := ptx.Parse("test.ptx", []byte(preamble+`
.func later();
.func good() { ret; }
.func bad() { .reg .f16 a; sin.approx.f16 a, a; }
.func middle() { call later; }
.entry k() { call good; ret; }
.entry directly() { call bad; ret; }
.entry through() { call middle; ret; }
.func later() {
	call bad;
}`))
	require.NoError(t, err)
	_, err = Compile(m, "k")
	require.NoError(t, err)
	for _, kernel := range []string{"directly", "through"} {
		_, err = Compile(m, kernel)
		require.ErrorContains(t, err, `test.ptx:7: instruction "sin.approx.f16 a, a": other operations`, kernel)
	}
}
