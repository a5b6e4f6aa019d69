package cc

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// Versions of clang: lowestClang can embed PTX as the device's code, and names are tried in order.
const lowestClang = 16

// clang is the compiler.
type clang struct {
	c, cxx  string // paths
	version string // a line
}

var versionNumber = regexp.MustCompile(`version (\d+)\.`)

// find finds clang by name. CLANG in the environment names another one, of which ++ is the C++ compiler.
func find() (*clang, error) {
	if own := os.Getenv("CLANG"); own != "" {
		c, err := try(own)
		if err != nil {
			return nil, fmt.Errorf("CLANG=%s: %w; valid: a clang of version %d or later, such as clang-%d", own, err, lowestClang, lowestClang)
		}
		return c, nil
	}
	old := ""
	for _, name := range []string{"clang-16", "clang-17", "clang-18", "clang-19", "clang-20", "clang-21", "clang"} {
		c, err := try(name)
		if err == nil {
			return c, nil
		}
		if found, ok := errors.AsType[tooOld](err); ok {
			old = fmt.Sprintf(" (%s: %s)", name, found)
		}
	}
	return nil, fmt.Errorf("no clang of version %d or later%s; install the Debian package clang-%d, or name one by CLANG", lowestClang, old, lowestClang)
}

// tooOld is the version of a clang below lowestClang.
type tooOld string

// Error names the version.
func (t tooOld) Error() string { return "version " + string(t) + " is too old" }

// try looks at the clang of a name or path, and for the C++ compiler beside it.
func try(name string) (*clang, error) {
	c, err := exec.LookPath(name)
	if err != nil {
		return nil, err
	}
	folder, base := filepath.Split(name)
	cxx, err := exec.LookPath(folder + strings.Replace(base, "clang", "clang++", 1))
	if err != nil {
		return nil, fmt.Errorf("its C++ compiler: %w", err)
	}
	text, err := exec.Command(c, "--version").Output()
	if err != nil {
		return nil, fmt.Errorf("%s --version: %w", c, err)
	}
	line, _, _ := strings.Cut(string(text), "\n")
	found := versionNumber.FindStringSubmatch(line)
	if found == nil {
		return nil, fmt.Errorf("%s --version prints %q, without a version", c, line)
	}
	if n, _ := strconv.Atoi(found[1]); n < lowestClang {
		return nil, tooOld(found[1])
	}
	return &clang{c: c, cxx: cxx, version: line}, nil
}

// hasOpenMP looks for the OpenMP library, which clang's own package does not hold, by its header.
func (c *clang) hasOpenMP() error {
	folder, err := exec.Command(c.cxx, "-print-resource-dir").Output()
	if err != nil {
		return fmt.Errorf("%s -print-resource-dir: %w", c.cxx, err)
	}
	if _, err = os.Stat(filepath.Join(strings.TrimSpace(string(folder)), "include", "omp.h")); err != nil {
		number := versionNumber.FindStringSubmatch(c.version)[1]
		err = fmt.Errorf("-fopenmp: %s has no omp.h; install the Debian package libomp-%s-dev", filepath.Base(c.cxx), number)
	}
	return err
}
