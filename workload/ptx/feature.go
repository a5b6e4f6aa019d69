package ptx

import (
	"slices"
	"strings"
)

// Feature is a part of PTX that the emulator does not run.
type Feature struct {
	// Name says what it is, in the plural: NAME are not modelled.
	Name string
	// Marks are how PTX names it, with spaces between: operations, with
	// modifiers where these tell them apart; with a dot in front, modifiers, types
	// and directives; special registers; with (), functions that CUDA provides. A *
	// at the end stands for anything.
	Marks string
}

// kernelLaunches is told by more than a word.
const kernelLaunches = "launches by kernels (dynamic parallelism)"

var features = []Feature{
	{"tensor cores beyond mma, wmma, wgmma and movements of matrices", "mma.sp .sp::ordered_metadata wgmma.mma_async.sp tcgen05 .block_scale .m16n16 .m8n16 .m16n8"},
	{"other operations on packed pairs and half precision, and numbers of 4 and 6 bits",
		".f32x2 .u16x2 .s16x2 .f16 .f16x2 .bf16 .bf16x2 .tf32 .e4m3 .e5m2 .e4m3x2 .e5m2x2 .e2m1x2 .e2m3x2 .e3m2x2 .ue8m0x2 .e2m1 .e2m3 .e3m2"},
	{"stochastic rounding, and products that leave out what lies beyond a tensor", ".rs .oob"},
	{"numbers of 128 bits", ".b128"},
	{"surfaces", "suld sust sured suq"},
	{"textures of other kinds than plain and layered ones and cube maps", "tld4 txq istypep .acube .2dms .a2dms"},
	{"bulk copies of other boxes than tiles, and changes of tensor maps", ".im2col .im2col::w .tile::gather4 .tile::scatter4 st.bulk tensormap"},
	{"grids counted in clusters, and requests for further clusters", ".blocksareclusters clusterlaunchcontrol"},
	{"multicast objects", "multimem"},
	{kernelLaunches, "cudaLaunchDevice*() cudaGetParameterBuffer*() cudaDeviceSynchronize() __cudaCDP*()"},
	{"allocations on the stack", "alloca stacksave stackrestore"},
	{"video instructions", "vadd* vsub* vabsdiff* vmin* vmax* vavrg* vset* vshl vshr vmad"},
	{"performance counters and what the driver keeps in registers", "%pm* %envreg* %aggr_smem_size %reserved_smem_*"},
}

// Features lists what the emulator does not run, as the errors about it name it.
func Features() []Feature { return slices.Clone(features) }

// featureOf is the name of the feature that a word of PTX belongs to, or an
// operation with its modifiers; "" if there is none.
func featureOf(word string) string {
	for _, f := range features {
		for _, mark := range strings.Fields(f.Marks) {
			start, any := strings.CutSuffix(mark, "*")
			if strings.HasSuffix(mark, "*()") {
				start, any = strings.TrimSuffix(mark, "*()"), strings.HasSuffix(word, "()")
			}
			operation := isLetter(mark[0])
			if word == mark || any && strings.HasPrefix(word, start) || operation && strings.HasPrefix(word, mark+".") {
				return f.Name
			}
		}
	}
	return ""
}

// notModelled is the message about a feature.
func notModelled(name string) string {
	return name + " are not modelled; docs/your-own-kernels.md lists what else is not"
}

// failFor is fail, unless the word belongs to a feature: then that is the fault.
func (p *parser) failFor(at token, word, format string, args ...any) {
	name := featureOf(word)
	switch {
	case name == "":
		p.fail(at, format, args...)
	case p.inside:
		p.fail(at, "%s", notModelled(name))
	default:
		p.fail(at, "%v: %s", at, notModelled(name))
	}
}

// unknown is the message about an operation that is none, as of a slip of the pen.
func unknown(op string) string {
	most := max(1, len(op)/2)
	var near []string
	for known := range patterns {
		if d := len(op) - len(known); d > most || -d > most {
			continue // at least these letters are to be left out or inserted
		}
		switch d := distance(op, known); {
		case d < most:
			most, near = d, []string{known}
		case d == most:
			near = append(near, known)
		}
	}
	if len(near) == 0 {
		return "operation " + clip(op) + " is unknown; valid are those of PTX, such as add"
	}
	slices.Sort(near)
	return "operation " + clip(op) + " is unknown; near to it are " + strings.Join(near, " ")
}

// distance is the number of letters to change, insert or leave out to make one
// word of the other (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}
