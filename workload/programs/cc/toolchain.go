package cc

import (
	"fmt"
	"os"
	"os/exec"
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
	var names []string
	if own := os.Getenv("CLANG"); own != "" {
		names = []string{own}
	} else {
		names = append(names, "clang-16", "clang-17", "clang-18", "clang-19", "clang-20", "clang-21", "clang")
	}
	old := ""
	for _, name := range names {
		c, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		cxx, err := exec.LookPath(strings.Replace(name, "clang", "clang++", 1))
		if err != nil {
			continue
		}
		text, err := exec.Command(c, "--version").Output()
		if err != nil {
			continue
		}
		line, _, _ := strings.Cut(string(text), "\n")
		found := versionNumber.FindStringSubmatch(line)
		if found == nil {
			continue
		}
		if n, _ := strconv.Atoi(found[1]); n < lowestClang {
			old = fmt.Sprintf(" (%s is %s)", name, found[1])
			continue
		}
		return &clang{c: c, cxx: cxx, version: line}, nil
	}
	return nil, fmt.Errorf("no clang of version %d or later%s; install the Debian package clang-%d, or name one by CLANG", lowestClang, old, lowestClang)
}
