package staging

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tebeka/atexit"
)

// script names what the test program does and then ends, in the folder that its
// argument names.
const script = "STAGING_TEST_SCRIPT"

func TestMain(m *testing.M) {
	if f := scripts[os.Getenv(script)]; f != nil {
		f(os.Args[1])
		atexit.Exit(0)
	}
	os.Exit(m.Run())
}

var scripts = map[string]func(folder string){
	"unfinished": func(folder string) {
		if _, err := makeFile(filepath.Join(folder, "file")); err != nil {
			panic(err)
		}
		_, err := Make(func() (string, error) {
			path := filepath.Join(folder, "folder")
			return path, os.MkdirAll(filepath.Join(path, "deep"), 0o755)
		})
		if err != nil {
			panic(err)
		}
	},
	"slow": func(folder string) {
		begun := make(chan struct{})
		go func() {
			_, _ = Make(func() (string, error) {
				close(begun)
				time.Sleep(50 * time.Millisecond)
				path := filepath.Join(folder, "file")
				return path, os.WriteFile(path, nil, 0o600)
			})
		}()
		<-begun
	},
	// Several goroutines make, rename and remove files, and fill a folder,
	// while the program ends.
	"busy": func(folder string) {
		for g := range 4 {
			go func() {
				for i := 0; ; i++ {
					path := filepath.Join(folder, strconv.Itoa(g))
					p, err := makeFile(path)
					switch {
					case err != nil:
					case i%2 == 0:
						p.Remove()
					case p.Rename(path+".whole") == nil:
						_ = os.Remove(path + ".whole")
					}
				}
			}()
		}
		filled := filepath.Join(folder, "filled")
		if _, err := Make(func() (string, error) { return filled, os.Mkdir(filled, 0o755) }); err != nil {
			panic(err)
		}
		go func() {
			for i := 0; ; i++ {
				_ = os.WriteFile(filepath.Join(filled, strconv.Itoa(i)), nil, 0o600)
			}
		}()
		time.Sleep(5 * time.Millisecond)
	},
}

func makeFile(path string) (*Path, error) {
	return Make(func() (string, error) { return path, os.WriteFile(path, nil, 0o600) })
}

// left runs a script in a process of its own and returns what it leaves.
func left(t *testing.T, name string) (names []string) {
	t.Helper()
	program, err := os.Executable()
	require.NoError(t, err)
	folder := t.TempDir()
	c := exec.Command(program, folder)
	c.Env = append(os.Environ(), script+"="+name)
	text, err := c.CombinedOutput()
	require.NoError(t, err, string(text))
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestWhatHasNoNameIsRemovedWhenTheProgramEnds(t *testing.T) {
	assert.Empty(t, left(t, "unfinished"))
}

func TestEndWaitsForAFileThatIsBeingMade(t *testing.T) {
	assert.Empty(t, left(t, "slow"))
}

func TestEndMeetsGoroutinesThatGoOn(t *testing.T) {
	for range 10 {
		for _, name := range left(t, "busy") {
			assert.Contains(t, name, ".whole", "renamed, not yet removed by the script")
		}
	}
}

func TestWhatIsRenamedStays(t *testing.T) {
	folder := t.TempDir()
	path, whole := filepath.Join(folder, "staged"), filepath.Join(folder, "whole")
	p, err := makeFile(path)
	require.NoError(t, err)
	assert.Error(t, p.Rename(filepath.Join(folder, "no", "folder")))
	assert.FileExists(t, path)
	require.NoError(t, p.Rename(whole))
	assert.NoFileExists(t, path)
	require.NoError(t, os.WriteFile(path, nil, 0o600)) // another's
	p.Remove()
	assert.FileExists(t, path)
	assert.FileExists(t, whole)
	assert.Error(t, p.handler.Cancel(), "nothing is left to do at the end")
}

func TestWhatIsRemovedStaysRemoved(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "staged")
	p, err := makeFile(path)
	require.NoError(t, err)
	p.Remove()
	assert.NoFileExists(t, path)
	assert.Error(t, p.Rename(filepath.Join(folder, "whole")))
	require.NoError(t, os.WriteFile(path, nil, 0o600)) // another's
	p.Remove()
	assert.FileExists(t, path)
	assert.Error(t, p.handler.Cancel(), "nothing is left to do at the end")
}

func TestWhatCannotBeMadeIsTheError(t *testing.T) {
	full := errors.New("full")
	p, err := Make(func() (string, error) { return "x", full })
	assert.Nil(t, p)
	assert.Equal(t, full, err)
}
