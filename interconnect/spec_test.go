package interconnect_test

import (
	"testing"

	"cotenant/components"
	"cotenant/interconnect"

	"github.com/stretchr/testify/require"
)

func TestSpecErrorsNameTheFieldAndWhatIsValid(t *testing.T) {
	require.NoError(t, squareSpec(16).Validate())
	for want, change := range map[string]func(*interconnect.Spec){
		"inputs is 0, must be 1 to 1024":                func(s *interconnect.Spec) { s.Inputs = 0 },
		"outputs is 1025, must be 1 to 1024":            func(s *interconnect.Spec) { s.Outputs = 1025 },
		"flit_bytes is -32, must be 1 to 1024":          func(s *interconnect.Spec) { s.FlitBytes = -32 },
		"header_bytes is -1, must be 0 to 1024":         func(s *interconnect.Spec) { s.HeaderBytes = -1 },
		"header_bytes is 1025, must be 0 to 1024":       func(s *interconnect.Spec) { s.HeaderBytes = 1025 },
		"input_buffer is 0, must be 1 to 4096":          func(s *interconnect.Spec) { s.InputBuffer = 0 },
		"output_buffer is 5000, must be 1 to 4096":      func(s *interconnect.Spec) { s.OutputBuffer = 5000 },
		"latency is 0, must be 1 to 4096":               func(s *interconnect.Spec) { s.Latency = 0 },
		`arbiter is "islip", must be one of roundrobin`: func(s *interconnect.Spec) { s.Arbiter = "islip" },
	} {
		s := squareSpec(16)
		change(&s)
		require.EqualError(t, s.Validate(), want)
		_, err := interconnect.Builder{}.WithSpec(s).Build("GPU.NoC")
		require.EqualError(t, err, "GPU.NoC: "+want)
	}
}

func TestBuilderMakesOnePortForEachInputAndOutput(t *testing.T) {
	e := components.NewEngine()
	d, err := e.AddDomain("noc", 1_200_000_000)
	require.NoError(t, err)
	s := squareSpec(70)
	s.Outputs, s.Arbiter = 3, "roundrobin"
	x, err := interconnect.Builder{}.WithSpec(s).WithDomain(d).Build("GPU.NoC")
	require.NoError(t, err)
	require.Len(t, x.Inputs, 70)
	require.Len(t, x.Outputs, 3)
	require.Equal(t, "GPU.NoC.In[69]", x.Inputs[69].Name())
	require.Equal(t, "GPU.NoC.Out[2]", x.Outputs[2].Name())
	require.Equal(t, 8, x.Inputs[0].Depth())
}
