package programs

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"cotenant/staging"
	"cotenant/workload"
)

// folderVariable and folderAnswer are COTENANT_FOLDER and COTENANT_FOLDER_ANSWER of runtime/protocol.h.
const (
	folderVariable = "COTENANT_FOLDER"
	folderAnswer   = 0x464c4400
)

// Bounds of a private folder: of what the program can write, and of what is copied where the operating system
// cannot cover one folder by another.
const (
	maxWritten     = 2 << 30
	maxCopied      = 256 << 20
	maxCopiedFiles = 20_000
)

// uncoverable is why the operating system cannot cover folders, 0 as long as that is not known.
var uncoverable atomic.Int32

// mountpoint reports whether something is mounted inside a folder. Covering the folder would hide it.
func mountpoint(folder string) bool {
	text, _ := os.ReadFile("/proc/self/mountinfo")
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 4 && strings.HasPrefix(fields[4], strings.TrimSuffix(folder, "/")+"/") {
			return true
		}
	}
	return false
}

// startPrivately starts a program in a folder of its own: its working folder as the run finds it.
func startPrivately(s *Spec) (*process, error) {
	here, err := filepath.Abs(s.Dir)
	if err == nil {
		here, err = filepath.EvalSymlinks(here)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: its working folder %s cannot be found: %w", s.Program, s.Dir, workload.WithoutPath(err))
	}
	if uncoverable.Load() == 0 && !mountpoint(here) {
		p, err := begin(s, here, folderVariable+"="+strconv.Itoa(maxWritten))
		if err != nil {
			return nil, err
		}
		why, err := p.covered()
		if err != nil {
			_ = p.Close()
			return nil, fmt.Errorf("%s: %w", s.Program, err)
		}
		if why == 0 {
			return p, nil
		}
		_ = p.Close()
		uncoverable.Store(int32(why))
	}
	to, staged, err := staging.Folder(os.TempDir(), "files")
	if err != nil {
		return nil, fmt.Errorf("%s: no folder for its files: %w", s.Program, workload.WithoutPath(err))
	}
	if err := copyFolder(here, to); err != nil {
		staged.Remove()
		return nil, fmt.Errorf("%s: its working folder %s cannot be copied for it: %w; valid: files=shared, or a smaller folder", s.Program, here, err)
	}
	p, err := begin(s, to)
	if err != nil {
		staged.Remove()
		return nil, err
	}
	p.folder = staged
	return p, nil
}

// covered takes the program's answer: why it could not cover its folder, 0 if it has.
func (p *process) covered() (why syscall.Errno, err error) {
	var answer [4]byte
	for at := 0; at < len(answer); {
		n, err := p.Read(answer[at:])
		if at += n; err != nil {
			return 0, fmt.Errorf("has ended before it had its own folder (%v); valid: a program that this build of cotenant has compiled", err)
		}
	}
	v := binary.LittleEndian.Uint32(answer[:])
	if v&^0xff != folderAnswer {
		return 0, errors.New("does not know how to get its own folder; valid: a program that this build of cotenant has compiled")
	}
	p.quiet = time.Now()
	return syscall.Errno(v & 0xff), nil
}

// copyFolder copies the files of a folder, within bounds.
func copyFolder(from, to string) error {
	files, size := 0, int64(0)
	err := filepath.WalkDir(from, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		files++
		if info.Mode().IsRegular() {
			size += info.Size()
		}
		if files > maxCopiedFiles || size > maxCopied {
			return fmt.Errorf("it holds more than %d files or %d MiB", maxCopiedFiles, maxCopied>>20)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return os.CopyFS(to, os.DirFS(from))
}
