package cc

import (
	"crypto/sha256"
	"debug/elf"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
)

// managedSection holds the host's side of managed variables (include/host_defines.h).
const managedSection = "ct_managed"

// movable compiles a file with managed variables once more, so that the host's code reaches them through
// pointers that the runtime library can move to the device's address (runtime/managed.c). clang gives the
// host's side of a variable internal linkage, for which it uses no pointer; so the linkage is changed in the
// intermediate code, and the pointers are laid into a section of their own in the assembly code, because a
// linker takes the global offset table's away. args are the arguments that have made the object file out.
func (d *driver) movable(in input, args []string, out string) error {
	if managed, err := hasSection(out, managedSection); err != nil || !managed {
		return err
	}
	code := d.temporaryFile("managed.ll")
	args = slices.Clone(args)
	args[slices.Index(args, "-o")+1] = code
	args[slices.Index(args, "-c")] = "-S"
	if err := d.call(append(args, "-emit-llvm")...); err != nil {
		return err
	}
	text, err := os.ReadFile(code)
	if err != nil {
		return err
	}
	if err := os.WriteFile(code, external(text, in.path), 0o600); err != nil {
		return err
	}
	assembly := d.temporaryFile("managed.s")
	generate := []string{"-x", "ir", "-S", code, "-o", assembly, "-Wno-unused-command-line-argument"}
	if err := d.call(append(generate, d.host...)...); err != nil {
		return err
	}
	if text, err = os.ReadFile(assembly); err != nil {
		return err
	}
	if err := os.WriteFile(assembly, pointed(text), 0o600); err != nil {
		return err
	}
	return d.call("-w", "-x", "assembler", "-c", assembly, "-o", out)
}

func hasSection(object, name string) (bool, error) {
	f, err := elf.Open(object)
	if err != nil {
		return false, err
	}
	defer f.Close()
	return f.Section(name) != nil, nil
}

var throughTable = regexp.MustCompile(`([\w.$]+)@GOTPCREL\(%rip\)`)

// pointed replaces the entries of the global offset table by pointers in section ct_pointers.
func pointed(text []byte) []byte {
	inFile := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^\s*\.type\s+([\w.$]+),@object`).FindAllSubmatch(text, -1) {
		inFile[string(m[1])] = true
	}
	made, pointers := map[string]bool{}, []string(nil)
	out := throughTable.ReplaceAllFunc(text, func(b []byte) []byte {
		name := string(throughTable.FindSubmatch(b)[1])
		if !inFile[name] {
			return b
		}
		if !made[name] {
			made[name] = true
			pointers = append(pointers, fmt.Sprintf(".Lct_pointer_%s:\n\t.quad %s\n", name, name))
		}
		return []byte(".Lct_pointer_" + name + "(%rip)")
	})
	if len(pointers) > 0 {
		out = append(out, "\t.section ct_pointers,\"aw\",@progbits\n\t.p2align 3\n"+strings.Join(pointers, "")...)
	}
	return out
}

var (
	managedVariable = regexp.MustCompile(`(?m)^(@\S+) = internal (.*section "` + managedSection + `")`)
	staticName      = regexp.MustCompile(`^@"?_ZL|_GLOBAL__N_`)
)

// external gives managed variables of intermediate code external linkage, and those that are static in C++'s
// sense a name of their own.
func external(text []byte, path string) []byte {
	var names []string
	for _, m := range managedVariable.FindAllSubmatch(text, -1) {
		if staticName.Match(m[1]) {
			names = append(names, string(m[1]))
		}
	}
	out := managedVariable.ReplaceAll(text, []byte("$1 = $2"))
	suffix := fmt.Sprintf(".%x", sha256.Sum256([]byte(path)))[:17]
	for _, n := range names {
		to := n + suffix
		if strings.HasSuffix(n, `"`) {
			to = strings.TrimSuffix(n, `"`) + suffix + `"`
		}
		out = regexp.MustCompile(regexp.QuoteMeta(n)+`([^\w.$-]|$)`).ReplaceAll(out, []byte(strings.ReplaceAll(to, "$", "$$")+"$1"))
	}
	return out
}
