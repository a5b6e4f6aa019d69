package cc

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
)

var (
	gridConstantName = regexp.MustCompile(`(?m)^@([\w.]+) = private unnamed_addr constant \[14 x i8\] c"grid_constant\\00"`)
	kernelHead       = regexp.MustCompile(`^define .*@([\w.$]+)\((.*)\)[^()]*\{$`)
	parameterName    = regexp.MustCompile(`%[\w.]+$`)
	annotated        = regexp.MustCompile(`^ +call void @llvm\.var\.annotation[\w.]*\(ptr (%[\w.]+), ptr @([\w.]+),`)
	offset           = regexp.MustCompile(`^( +)(%[\w.]+)( = getelementptr .*?, ptr )(%[\w.]+)(, .*)$`)
	pointerOperand   = regexp.MustCompile(`(\bptr (?:\w+(?:\(\d+\))? )*)(%[\w.]+)`)
)

// gridConstants has a kernel pass on the addresses of its parameters that are __grid_constant__. clang 16 does not know
// the word, and if a kernel passes an address on, LLVM makes a copy of the parameter in local memory, where no bulk copy
// finds a tensor map. What the kernel itself loads of a parameter is left alone.
func gridConstants(code []byte) []byte {
	name := gridConstantName.FindSubmatch(code)
	if name == nil {
		return code
	}
	var out bytes.Buffer
	var kernel, parameters string
	addresses := map[string]string{} // in the kernel, of parameters and of what lies in them
	lines := strings.SplitAfter(string(code), "\n")
	for n, line := range lines {
		if head := kernelHead.FindStringSubmatch(strings.TrimSuffix(line, "\n")); head != nil {
			kernel, parameters = head[1], head[2]
			clear(addresses)
			out.WriteString(line)
			for _, body := range lines[n+1:] {
				if strings.HasPrefix(body, "}") {
					break
				}
				if a := annotated.FindStringSubmatch(body); a != nil && a[2] == string(name[1]) {
					if number := parameterNumber(parameters, a[1]); number >= 0 {
						address := "%ct.grid." + a[1][1:]
						addresses[a[1]] = address
						fmt.Fprintf(&out, "  %s = call ptr asm \"{.reg .b64 t; mov.b64 t, %s_param_%d; cvta.param.u64 $0, t;}\", \"=l\"()\n", address, kernel, number)
					}
				}
			}
			continue
		}
		if a := annotated.FindStringSubmatch(line); a != nil && addresses[a[1]] != "" {
			continue
		}
		place := offset.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if place != nil && addresses[place[4]] != "" {
			address := "%ct.grid." + place[2][1:]
			fmt.Fprintf(&out, "%s%s%s%s%s\n", place[1], address, place[3], addresses[place[4]], place[5])
			addresses[place[2]] = address
		}
		own := place != nil || strings.Contains(line, " = load ") || strings.Contains(line, "@llvm.")
		if len(addresses) > 0 && !own {
			line = pointerOperand.ReplaceAllStringFunc(line, func(operand string) string {
				p := pointerOperand.FindStringSubmatch(operand)
				if address := addresses[p[2]]; address != "" {
					return p[1] + address
				}
				return operand
			})
		}
		out.WriteString(line)
	}
	return out.Bytes()
}

// parameterNumber is the number of a parameter in a list of intermediate code, -1 if it is none.
func parameterNumber(list, name string) int {
	number, depth := 0, 0
	for i, c := range list + "," {
		switch c {
		case '(', '{', '<', '[':
			depth++
		case ')', '}', '>', ']':
			depth--
		case ',':
			if depth > 0 {
				continue
			}
			if parameterName.FindString(list[:i]) == name {
				return number
			}
			number++
		}
	}
	return -1
}
