package ptx

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// registers of every type and a variable of every space, for examples.
const exampleKernel = `
.global .align 16 .b8 g[64];
.const .align 16 .b8 c[64];
.shared .align 16 .b8 s[64];
.global .texref t;
.visible .entry k(.param .align 16 .b8 q[64])
{
	.local .align 16 .b8 l[64];
	.reg .b8 %b8<8>;
	.reg .b16 %b16<8>;
	.reg .b32 %b32<8>;
	.reg .b64 %b64<8>;
	.reg .f32 %f32<8>;
	.reg .f64 %f64<8>;
	.reg .pred %pred<8>;
	%s;
	ret;
}
`

// exampleOf writes an instruction of a form with the modifiers given.
func exampleOf(op string, f pattern, mods []string) string {
	var types []string
	space, vec := "g", 1
	for _, m := range mods {
		if _, ok := typeByName[m]; ok {
			types = append(types, m)
		}
		if strings.Contains(" global shared const local param ", " "+m+" ") {
			space = m[:1]
		}
		if len(m) == 2 && m[0] == 'v' {
			vec = int(m[1] - '0')
		}
	}
	if space == "p" {
		space = "q"
	}
	register := func(typ string, n int) string {
		switch {
		case typ == "pred", typ == "f32", typ == "f64":
			return fmt.Sprintf("%%%s%d", typ, n)
		}
		return fmt.Sprintf("%%b%s%d", strings.TrimLeft(typ, "bsuf"), n)
	}
	var operands []string
	for i, a := range append(append([]argPattern(nil), f.dst...), f.src...) {
		typ := "u32"
		switch a.kind {
		case '1', 'm', 'v':
			typ = types[0]
		case '2':
			typ = types[1]
		case 'w':
			typ = wide(typeByName[types[0]]).String()
		case 'l':
			typ = "u64"
		case 'p':
			typ = "pred"
		}
		text := register(typ, i)
		switch {
		case a.kind == 'a' && op == "st" && space == "q":
			text = "[%b640]"
		case a.kind == 'a':
			text = "[" + space + "]"
		case a.kind == 'n':
			text = "7"
		case a.kind == 'x':
			text = "[t, {" + register(types[1], 1) + "}]"
			if mods[0] == "2d" {
				text = "[t, {" + register(types[1], 1) + ", " + register(types[1], 2) + "}]"
			}
		case a.kind == 'v' && vec > 1:
			var list []string
			for k := range vec {
				list = append(list, register(typ, k))
			}
			text = "{" + strings.Join(list, ", ") + "}"
		case a.pair:
			text += "|%pred7"
		}
		operands = append(operands, text)
	}
	return strings.TrimSuffix(op+"."+strings.Join(mods, "."), ".") + " " + strings.Join(operands, ", ")
}

// choices are the ways to fill the places for modifiers so that each
// alternative of each place occurs.
func choices(f pattern) (all [][]string) {
	rounds := 1
	for _, s := range f.slots {
		rounds = max(rounds, len(s.any)+1)
	}
	for _, skip := range []bool{false, true} {
		for r := range rounds {
			var mods []string
			for _, s := range f.slots {
				if s.optional && (skip || r == len(s.any)) {
					continue
				}
				mods = append(mods, s.any[r%len(s.any)])
			}
			all = append(all, mods)
		}
	}
	return all
}

func TestWhatParsesCompiles(t *testing.T) {
	compiled := map[string]int{}
	for op, fs := range patterns {
		for _, f := range fs {
			for _, mods := range choices(f) {
				text := exampleOf(op, f, mods)
				m, err := Parse("test.ptx", []byte(preamble+strings.Replace(exampleKernel, "%s;", text+";", 1)))
				if err != nil {
					continue // a combination that is not valid
				}
				compiled[op]++
				_, err = Compile(m, "k")
				require.NoError(t, err, text)
			}
		}
	}
	for op := range patterns {
		require.NotZero(t, compiled[op], op)
	}
}
