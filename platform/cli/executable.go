package cli

import (
	"debug/elf"
	"os"
	"strings"

	"cotenant/experiment/sweep"
)

// executable is the path of the running program, and the hash of its contents.
func executable() (path, hash string, err error) {
	if path, err = running(); err != nil {
		return "", "", err
	}
	hash, err = sweep.HashFile(path)
	return path, hash, err
}

// running is the path of the running program. On Linux the path leads to the program that
// runs even if its file has been replaced meanwhile, as by a build.
func running() (string, error) {
	const path = "/proc/self/exe"
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	return os.Executable()
}

// buildNote is the section in which Go's linker notes a program's build ID: a hash of all
// that the build was made of. The go command gives no ID to a program that is to have none.
const buildNote = ".note.go.buildid"

// build identifies the build of the running program: by its build ID, or else by its
// contents, some 33 MB, which take longer to read than a short run takes.
func build() (string, error) {
	path, err := running()
	if err != nil {
		return "", err
	}
	if note := noteOf(path); note != "" {
		return note, nil
	}
	return sweep.HashFile(path)
}

// noteHeader is the size of an ELF note's lengths and type, and of its owner, "Go".
const noteHeader = 16

// noteOf is a program's build ID; "" without one, as in a file of another format than ELF.
func noteOf(path string) string {
	file, err := elf.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	section := file.Section(buildNote)
	if section == nil {
		return ""
	}
	note, err := section.Data()
	if err != nil || len(note) <= noteHeader {
		return ""
	}
	return strings.TrimRight(string(note[noteHeader:]), "\x00")
}
