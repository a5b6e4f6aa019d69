package cli

import (
	"os"

	"cotenant/experiment/sweep"
)

// executable is the path of the running program, and the hash of its contents.
// On Linux the path leads to the program that runs even if its file has been
// replaced meanwhile, as by a build.
func executable() (path, hash string, err error) {
	path = "/proc/self/exe"
	if _, err := os.Stat(path); err != nil {
		if path, err = os.Executable(); err != nil {
			return "", "", err
		}
	}
	hash, err = sweep.HashFile(path)
	return path, hash, err
}
