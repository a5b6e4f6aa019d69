package kernels

import "slices"

// Matrix is a square sparse matrix in padded, transposed jagged diagonals.
//
// Row lengths follow a power law: from Shortest, a row doubles its length again
// and again with probability Tail. Most columns lie within Band of the
// diagonal. Rows are sorted by length, longest first; groups of 32 are padded
// to their longest row; the n-th nonzeros of all rows that have one lie next to
// each other.
//
// Parts: values (f32), columns (s32), row_of (s32, the row at each place),
// diagonal_start and group_length (s32). Numbers: rows, diagonals, groups,
// nonzeros, and stored, which counts the padding too.
type Matrix struct {
	// Seed is 0 to 2^62. Default 0.
	Seed Expr `yaml:"seed"`
	// Rows is 1 to 2^24. Required.
	Rows Expr `yaml:"rows"`
	// Shortest and Longest are limits of the row lengths, 1 to 4096 and no more
	// than Rows. Default 4 and 256.
	Shortest Expr `yaml:"shortest"`
	Longest  Expr `yaml:"longest"`
	// Tail is 0 to 0.9. Default 0.4.
	Tail Expr `yaml:"tail"`
	// Band is 1 to 2^24 columns to either side. Default 512.
	Band Expr `yaml:"band"`
	// Far is the probability that a nonzero lies anywhere. 0 to 1. Default 0.1.
	Far Expr `yaml:"far"`
}

// groupRows is the number of rows that are padded to one length: a warp's.
const groupRows = 32

func (m *Matrix) generate(a *args) output {
	r := a.seed(&m.Seed)
	rows := a.whole("rows", &m.Rows, 1, 1<<24, 0)
	longest := a.whole("longest", &m.Longest, 1, min(4096, rows), min(256, rows))
	shortest := a.whole("shortest", &m.Shortest, 1, longest, min(4, longest))
	tail := a.number("tail", &m.Tail, 0, 0.9, 0.4)
	band := a.whole("band", &m.Band, 1, 1<<24, 512)
	far := a.number("far", &m.Far, 0, 1, 0.1)
	if a.err != nil {
		return output{}
	}

	columns := make([][]int32, rows)
	nonzeros := 0
	for row := range columns {
		length := shortest
		for length < longest && r.chance(tail) {
			length *= 2
		}
		length = min(length+r.below(length), longest)
		low, high := max(0, row-band), min(rows, row+band+1)
		list := []int32{int32(row)}
		for len(list) < length {
			if r.chance(far) {
				list = append(list, int32(r.below(rows)))
			} else {
				list = append(list, int32(low+r.below(high-low)))
			}
		}
		slices.Sort(list)
		columns[row] = slices.Compact(list)
		if nonzeros += len(columns[row]); nonzeros > 1<<28 {
			a.fail("rows", "with these lengths make more than 2^28 nonzeros; valid: fewer or shorter rows")
			return output{}
		}
	}

	order := make([]int32, rows)
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(x, y int32) int { return len(columns[y]) - len(columns[x]) })
	groups := (rows + groupRows - 1) / groupRows
	lengths := make([]int32, groups)
	for g := range lengths {
		lengths[g] = int32(len(columns[order[g*groupRows]]))
	}
	starts := make([]int32, lengths[0])
	stored := 0
	for n, g := 0, groups; n < len(starts); n++ {
		for lengths[g-1] <= int32(n) {
			g--
		}
		starts[n] = int32(stored)
		stored += g * groupRows
	}
	packed, weights := make([]int32, stored), make([]float32, stored)
	for place, row := range order {
		for n, column := range columns[row] {
			at := int(starts[n]) + place
			packed[at], weights[at] = column, float32(r.within(-1, 1))
		}
	}
	return output{
		[]part{{"values", weights}, {"columns", packed}, {"row_of", order}, {"diagonal_start", starts}, {"group_length", lengths}},
		[]number{{"rows", rows}, {"diagonals", len(starts)}, {"groups", groups}, {"nonzeros", nonzeros}, {"stored", stored}},
	}
}
