package staging

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
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
	"unfinished": func(folder string) { stageBoth(folder) },
	"slow": func(folder string) {
		begun := make(chan struct{})
		go func() {
			_, _ = stage(func(p *Path) error {
				close(begun)
				time.Sleep(50 * time.Millisecond)
				p.path = filepath.Join(folder, "file")
				return os.WriteFile(p.path, nil, 0o600)
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
					name := strconv.Itoa(g)
					f, err := File(folder, name)
					if err != nil {
						continue
					}
					f.Close()
					whole := filepath.Join(folder, name+".whole")
					if i%2 == 0 {
						f.Remove()
					} else if f.Rename(whole) == nil {
						_ = os.Remove(whole)
					}
				}
			}()
		}
		filled, _, err := Folder(folder, "filled")
		if err != nil {
			panic(err)
		}
		go func() {
			for i := 0; ; i++ {
				_ = os.WriteFile(filepath.Join(filled, strconv.Itoa(i)), nil, 0o600)
			}
		}()
		time.Sleep(5 * time.Millisecond)
	},
	// Something is staged, and then it waits to be killed.
	"killed": func(folder string) {
		stageBoth(folder)
		fmt.Println("staged")
		select {}
	},
	// Many processes stage files and name them at the same time, and are killed in the
	// middle of it.
	"crowd": func(folder string) {
		for i := range 100 {
			name := fmt.Sprintf("%d-%d", os.Getpid(), i)
			f, err := File(folder, name)
			if err != nil {
				panic(err)
			}
			f.Close()
			if err := f.Rename(filepath.Join(folder, name)); err != nil {
				panic(err)
			}
		}
	},
}

// stageBoth stages a file, and a folder with another in it.
func stageBoth(folder string) {
	f, err := File(folder, "file")
	if err != nil {
		panic(err)
	}
	f.Close()
	path, _, err := Folder(folder, "folder")
	if err == nil {
		err = os.Mkdir(filepath.Join(path, "deep"), 0o755)
	}
	if err != nil {
		panic(err)
	}
}

// command is a script as a process of its own.
func command(t *testing.T, name, folder string) *exec.Cmd {
	t.Helper()
	program, err := os.Executable()
	require.NoError(t, err)
	c := exec.Command(program, folder)
	c.Env = append(os.Environ(), script+"="+name)
	return c
}

// killed is a folder with a file and a folder that a killed process has left, and their
// names. While it lived another process cleared the folder.
func killed(t *testing.T) (folder string, names []string) {
	t.Helper()
	folder = t.TempDir()
	c := command(t, "killed", folder)
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	defer func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	}()
	_, err = out.Read(make([]byte, 8))
	require.NoError(t, err)
	Clear(folder)
	names = list(t, folder)
	require.Len(t, names, 2, "the process lives")
	return folder, names
}

func list(t *testing.T, folder string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// left runs a script to its end and returns what it leaves.
func left(t *testing.T, name string) []string {
	t.Helper()
	folder := t.TempDir()
	text, err := command(t, name, folder).CombinedOutput()
	require.NoError(t, err, string(text))
	return list(t, folder)
}

func TestWhatAKilledProcessLeftIsRemovedByTheNextOne(t *testing.T) {
	folder, _ := killed(t)
	f, err := File(folder, "another")
	require.NoError(t, err)
	f.Close()
	assert.Equal(t, []string{filepath.Base(f.path)}, list(t, folder))
	f.Remove()
	assert.Empty(t, list(t, folder))
}

func TestOnlyWhatThisMachineStagedIsTakenForLeftBehind(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{".run.json.cotenant-00000000-1-0.tmp", ".run.json.1-0.tmp", "run.json", staged("run.json", 0) + "x"} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), nil, 0o600))
	}
	target := filepath.Join(t.TempDir(), "target")
	require.NoError(t, os.WriteFile(target, nil, 0o600))
	require.NoError(t, os.Symlink(target, filepath.Join(folder, staged("link", 0))))
	Clear(folder)
	assert.Len(t, list(t, folder), 5)
	assert.FileExists(t, target)
}

func TestManyProcessesStageInOneFolderWhileOthersAreKilled(t *testing.T) {
	folder := t.TempDir()
	var crowd []*exec.Cmd
	for i := range 6 {
		c := command(t, "crowd", folder)
		c.Stderr = os.Stderr
		require.NoError(t, c.Start())
		if i%2 == 1 {
			time.AfterFunc(time.Duration(i)*5*time.Millisecond, func() { _ = c.Process.Kill() })
			defer c.Wait()
			continue
		}
		crowd = append(crowd, c)
	}
	for _, c := range crowd {
		require.NoError(t, c.Wait(), "a file that was being written has been removed")
	}
}

func TestLongNamesCanBeStaged(t *testing.T) {
	folder := t.TempDir()
	f, err := File(folder, strings.Repeat("ä", 120))
	require.NoError(t, err)
	f.Close()
	require.NoError(t, f.Rename(filepath.Join(folder, strings.Repeat("ä", 120))))
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
	whole := filepath.Join(folder, "whole")
	p, path := makeFile(t, folder)
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
	p, path := makeFile(t, folder)
	p.Remove()
	assert.NoFileExists(t, path)
	assert.Error(t, p.Rename(filepath.Join(folder, "whole")))
	require.NoError(t, os.WriteFile(path, nil, 0o600)) // another's
	p.Remove()
	assert.FileExists(t, path)
	assert.Error(t, p.handler.Cancel(), "nothing is left to do at the end")
}

func TestWhatCannotBeMadeIsTheError(t *testing.T) {
	f, err := File(filepath.Join(t.TempDir(), "no", "folder"), "x")
	assert.Nil(t, f)
	assert.ErrorIs(t, err, os.ErrNotExist)
}

func makeFile(t *testing.T, folder string) (p *Path, path string) {
	t.Helper()
	f, err := File(folder, "x")
	require.NoError(t, err)
	f.Close()
	return f.Path, f.path
}

func TestWrittenFileIsWholeAndAsOthersAre(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "a")
	require.NoError(t, os.WriteFile(filepath.Join(folder, "other"), nil, 0o666))
	other, err := os.Stat(filepath.Join(folder, "other"))
	require.NoError(t, err)
	for program, bits := range map[bool]os.FileMode{false: 0, true: other.Mode().Perm() & 0o444 >> 2} {
		require.NoError(t, Write(path, []byte("text"), program))
		info, err := os.Stat(path)
		require.NoError(t, err)
		assert.Equal(t, other.Mode().Perm()|bits, info.Mode().Perm(), "as the umask says")
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, "text", string(text))
	}
	assert.Error(t, Write(filepath.Join(folder, "no", "a"), nil, false))
	require.NoError(t, os.Mkdir(filepath.Join(folder, "b"), 0o700))
	assert.Error(t, Write(filepath.Join(folder, "b"), nil, false))
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	assert.Len(t, entries, 3, "what was staged is gone")
}

func TestOneHasTheLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	unlock, err := Lock(path)
	require.NoError(t, err)
	_, err = Lock(path)
	assert.ErrorIs(t, err, ErrTaken)
	unlock()
	unlock, err = Lock(path)
	require.NoError(t, err)
	unlock()
}
