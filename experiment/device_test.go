package experiment

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/platform/presets"
)

// Programs are told of the preset's chip.
func TestProgramsSeeTheDeviceOfThePreset(t *testing.T) {
	for name, want := range map[string]struct{ major, minor, sms, memory, shared, optin int }{
		"gtx980":  {5, 2, 16, 4 << 30, 48 << 10, 48 << 10},
		"k20c":    {3, 5, 13, 5 << 30, 48 << 10, 48 << 10},
		"v100":    {7, 0, 80, 16 << 30, 48 << 10, 96 << 10},
		"a100-1g": {8, 0, 14, 5 << 30, 48 << 10, 163 << 10},
		"h100":    {9, 0, 132, 80 << 30, 48 << 10, 227 << 10},
		"plain16": {7, 0, 16, 16 << 30, 48 << 10, 48 << 10},
		"k20c?driver.compute_capability=61&driver.memory_bytes=1048576&driver.shared_bytes_per_tb=0": {6, 1, 13, 1 << 20, 48 << 10, 48 << 10},
		"plain16?driver.shared_bytes_per_tb=0":                                                       {7, 0, 16, 16 << 30, 48 << 10, 96 << 10},
	} {
		gpu, err := presets.Load(name)
		require.NoError(t, err)
		d := device(gpu)
		assert.Equal(t, []int{want.major, want.minor, want.sms, want.memory, want.shared, want.optin},
			[]int{d.Major, d.Minor, d.SMs, d.MemoryBytes, d.SharedPerBlock, d.SharedPerBlockOptin}, name)
	}
	_, err := presets.Load("k20c?driver.compute_capability=-1")
	require.ErrorContains(t, err, "driver.compute_capability")
}

// From compute capability 8.0 on a part of the L2 can be set aside, but not of an instance: 30 of an A100's 40 MB.
func TestProgramsSeeWhatCanBeSetAside(t *testing.T) {
	for name, want := range map[string]int{"v100": 0, "a100": 30 << 20, "a100?mig=[4g.20gb,2g.10gb]": 0, "a100?l2.ways=10": 80 * 256 * 7 * 128} {
		gpu, err := presets.Load(name)
		require.NoError(t, err)
		s := Spec{}
		assert.Equal(t, want, s.SourceOf(gpu, 0).Device.PersistingBytes, name)
	}
}

// Programs are told of the copy engines of the chip, or of their instance.
func TestProgramsSeeTheirCopyEngines(t *testing.T) {
	for name, want := range map[string][2]int{
		"k20c": {1, 1}, "v100": {6, 6}, "gv100": {6, 6}, "a100": {3, 3}, "a100-1g": {1, 1}, "h100": {3, 3}, "rtx4090": {2, 2},
		"a100?mig=[4g.20gb,2g.10gb]": {4, 2}, "h100?mig=[3g.40gb,1g.10gb]": {3, 1}, "a100?host.pcie.engines=5": {5, 5},
	} {
		gpu, err := presets.Load(name)
		require.NoError(t, err)
		s := Spec{}
		assert.Equal(t, want, [2]int{s.SourceOf(gpu, 0).Device.CopyEngines, s.SourceOf(gpu, 1).Device.CopyEngines}, name)
	}
}
