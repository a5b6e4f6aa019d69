package source

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestArraysBeyondTheMemoryLimitAreRefused(t *testing.T) {
	app, err := Open("sgemm?size=tiny", Options{})
	require.NoError(t, err)
	var bytes uint64
	for _, a := range app.Arrays {
		bytes += a.Bytes
	}
	limited := func(limit string) error {
		_, err := Open("sgemm?memory_limit="+limit+"&size=tiny", Options{Tenant: 3})
		return err
	}
	require.Equal(t, uint64(31744), bytes)
	require.NoError(t, limited("31744"))
	require.NoError(t, limited("31KiB"))
	require.EqualError(t, limited("31743"), `application "sgemm?memory_limit=31743&size=tiny": tenant 3 asks for 31744 bytes of memory for 3 arrays; valid: at most 31743 bytes, its memory_limit of 31743`)
	require.EqualError(t, limited("30KiB"), `application "sgemm?memory_limit=30KiB&size=tiny": tenant 3 asks for 31744 bytes of memory for 3 arrays; valid: at most 30720 bytes, its memory_limit of 30KiB`)
	for _, wrong := range []string{"0", "-1", "1.5GiB", "1G"} {
		require.EqualError(t, limited(wrong), `application "sgemm?memory_limit=`+wrong+`&size=tiny": invalid option "memory_limit=`+wrong+`"; valid: a number of bytes above 0, such as 65536, 64KiB or 2MiB`)
	}
	_, err = Open("profile:lbm?memory_limit=1MiB", Options{})
	require.ErrorContains(t, err, "does not tell what it allocates")
}

// The limit holds in runs alone, which leave the attributes of the tenant out.
func TestMemoryLimitStaysWithTheApplication(t *testing.T) {
	for spec, want := range map[string]string{
		"sgemm?priority=1&memory_limit=1MiB": "sgemm?memory_limit=1MiB",
		"traceg:dir?memory_limit=7&qos=0.5":  "traceg:dir?memory_limit=7",
	} {
		app, _, err := Split(spec)
		require.NoError(t, err)
		require.Equal(t, want, app)
	}
}

func TestTracesHaveAMemoryLimitForWhatTheyCopy(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "a?b")
	require.NoError(t, os.Mkdir(folder, 0o700))
	_, err := Open("traceg:"+folder+"?memory_limit=1", Options{})
	require.ErrorContains(t, err, filepath.Join(folder, "kernelslist.g"), "the folder is the part before the last question mark")
}
