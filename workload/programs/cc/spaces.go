package cc

import (
	"bytes"
	"fmt"
	"regexp"
)

var (
	elementPlace  = regexp.MustCompile(`^( +)%([\w.]+) = (getelementptr (?:inbounds )?[^(]+?), ptr (%[\w.]+|addrspacecast \(ptr addrspace\(3\) (@[\w.$]+) to ptr\))(, .+?)((?:, !dbg !\d+)?)$`)
	elementAccess = regexp.MustCompile(`^( +(?:%[\w.]+ = load|store) (?:volatile )?(?:float|double|i32|i64|ptr)\b.*), ptr (%[\w.]+|addrspacecast \(ptr addrspace\(3\) (@[\w.$]+) to ptr\))(, align .+)$`)
)

// inShared has the loads and stores of elements of shared arrays, in intermediate code, go to shared memory
// from the beginning. clang's translation makes them generic, LLVM for these targets finds their space after
// all else, and a generic address is as little aligned as its type. So neighbours, such as a[2*i] and a[2*i+1],
// would stay two accesses, where nvcc's code has one: the published shared accesses of fwtBatch1 and histogram64
// are so many. Those of sad say that nvcc leaves neighbours of two bytes apart, so elements below four bytes
// stay as they are (docs/silicon.md).
func inShared(code []byte) []byte {
	var out bytes.Buffer
	known := map[string]bool{} // names of a function's addresses of elements
	base := func(operand, array []byte) string {
		switch {
		case array != nil:
			return string(array)
		case known[string(operand[1:])]:
			return "%space." + string(operand[1:])
		}
		return ""
	}
	for line := range bytes.Lines(code) {
		text := bytes.TrimSuffix(line, []byte("\n"))
		if bytes.HasPrefix(text, []byte("define ")) {
			clear(known)
		}
		if p := elementPlace.FindSubmatch(text); p != nil {
			if from := base(p[4], p[5]); from != "" {
				known[string(p[2])] = true
				fmt.Fprintf(&out, "%s%%space.%s = %s, ptr addrspace(3) %s%s%s\n", p[1], p[2], p[3], from, p[6], p[7])
				fmt.Fprintf(&out, "%s%%%s = addrspacecast ptr addrspace(3) %%space.%s to ptr%s\n", p[1], p[2], p[2], p[7])
				continue
			}
		} else if a := elementAccess.FindSubmatch(text); a != nil {
			if from := base(a[2], a[3]); from != "" {
				fmt.Fprintf(&out, "%s, ptr addrspace(3) %s%s\n", a[1], from, a[4])
				continue
			}
		}
		out.Write(line)
	}
	return out.Bytes()
}
