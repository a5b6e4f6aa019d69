package kernels

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// As clang 16 mangles them.
func TestUnmangledNamesAreThoseOfTheSource(t *testing.T) {
	for mangled, want := range map[string]string{
		"_Z5saxpyfPfS_":                 "saxpy",
		"_Z5plainPfN3geo1EE":            "plain",
		"_ZN3geo5scaleIfLj16EEEvPT_":    "geo::scale",
		"_ZN3geo5inner3runIiEEvPT_":     "geo::inner::run",
		"_ZN12_GLOBAL__N_16hiddenEPf":   "hidden",
		"_ZL4statPf":                    "stat",
		"_Z3runILi5EEvPf":               "run",
		"saxpy":                         "",
		"_Z":                            "",
		"_Z99saxpy":                     "",
		"_Z99999999999999999999999saxp": "",
	} {
		assert.Equal(t, want, unmangled(mangled), mangled)
	}
}

func TestPlainNamesAreTheLastOfTheSource(t *testing.T) {
	for mangled, want := range map[string]string{
		"_Z5saxpyfPfS_":                  "saxpy",
		"_ZN3geo5inner3runIiEEvPT_":      "run",
		"saxpy":                          "saxpy",
		"_Z13_kernel_agentIfEvv":         "_kernel_agent",
		"_ZN3geo13_kernel_agentINS1_Evv": "_kernel_agent",
		"_ZN6thrust8cuda_cub4core13_kernel_agentINS0_8__unique9InitAgentIN3cub13ScanTileStateIiLb1EEEPiiEES8_mS9_EEvT0_T1_T2_":                  "InitAgent",
		"_ZN6thrust8cuda_cub4core13_kernel_agentIN3geo14__parallel_for16ParallelForAgentINS0_20__uninitialized_fill7functorIiEmEES9_mEEvT0_T1_": "ParallelForAgent",
	} {
		assert.Equal(t, want, PlainName(mangled), mangled)
	}
}

func TestKernelsAreFoundByTheirNamesInCPlusPlus(t *testing.T) {
	for name, want := range map[string]string{
		"double":          "",
		"geo::double":     "",
		"geo::half":       "",
		"_ZN3geo4halfEPf": "",
		"half":            `mine.yaml:6: kernels[0].name is "half", which several kernels of mine.ptx are called in C++; valid: _ZN3geo4halfEPf, _Z4halfPf`,
		"lf":              `mine.yaml:6: kernels[0].name is "lf", which mine.ptx does not have; valid: _ZN3geo6doubleEPf, _ZN3geo4halfEPf, _Z4halfPf`,
	} {
		text := strings.ReplaceAll(double, "double(", "_ZN3geo6doubleEPf(") +
			".visible .entry _ZN3geo4halfEPf(.param .u64 p) { ret; } .visible .entry _Z4halfPf(.param .u64 p) { ret; }\n"
		m, err := Load(folderOf(t, map[string]string{"mine.ptx": text, "mine.yaml": strings.ReplaceAll(doubling, ": double", ": "+name)}))
		if want != "" {
			require.Error(t, err, name)
			assert.Equal(t, want, base(err))
			continue
		}
		require.NoError(t, err, name)
		_, after := runManifest(t, m)
		assert.Equal(t, name == "double" || name == "geo::double", floats(after, "x")[1] == 2, name)
	}
}
