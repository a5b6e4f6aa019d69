package cc

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/tests/need"
)

// What clang writes passes unchanged, in whatever parts, plain or in colours.
func TestHeaderThatIsNotThereIsNamedWithItsPackage(t *testing.T) {
	const cubAndThrust = " is a header of CUB and Thrust; install the Debian package libthrust-dev, or name their folders by -I"
	for header, want := range map[string]string{
		"cub/cub.cuh": "cub/cub.cuh" + cubAndThrust, "thrust/sort.h": "thrust/sort.h" + cubAndThrust,
		"cublas_v2.h": "cublas_v2.h is a header of a library of NVIDIA that cotenant has not",
		"cuda/atomic": "cuda/atomic is a header of libcu++, which cotenant has not",
		"cubic.h":     "",
	} {
		for _, form := range []string{"a.cu:1:10: fatal error: '%s' file not found\n", "a.cu:1:10: \x1b[0;1;31mfatal error: \x1b[0m\x1b[1m'%s' file not found\x1b[0m\nrest"} {
			text := fmt.Sprintf(form, header)
			for cut := range len(text) {
				var out strings.Builder
				l := lacking{Writer: &out}
				for _, part := range []string{text[:cut], text[cut:]} {
					n, err := l.Write([]byte(part))
					require.NoError(t, err)
					require.Equal(t, len(part), n)
				}
				require.Equal(t, text, out.String())
				require.Equal(t, want, l.advice(), "cut at %d", cut)
			}
		}
	}
}

func TestErrorsOfClangTellWhatALibraryTakes(t *testing.T) {
	need.Program(t, "clang-16", "clang++-16")
	source := t.TempDir() + "/a.cu"
	require.NoError(t, os.WriteFile(source, []byte("#include <cusparse.h>\n"), 0o600))
	var out strings.Builder
	err := Run(t.Context(), []string{"-c", source, "-o", t.TempDir() + "/a.o"}, &out, &out)
	require.ErrorIs(t, err, ErrCompiler)
	assert.EqualError(t, err, "clang has found errors: cusparse.h is a header of a library of NVIDIA that cotenant has not")
	assert.Contains(t, out.String(), "file not found")
}
