package kernels

import "slices"

// Matrix is a square sparse matrix in padded, transposed jagged diagonals.
//
// With Degree it is the matrix of a differential equation on a mesh: square
// finite elements of that degree. The unknowns lie on a square grid and are
// numbered row by row, as far as Scatter leaves them; values on the edge are known.
// An unknown is coupled to all unknowns of its elements. Otherwise row lengths follow
// a power law: from Shortest, a row doubles its length again and again with
// probability Tail, and most columns lie within Band of the diagonal.
//
// Rows are sorted by length, longest first; groups of 32 are padded
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
	// Degree is 1 to 16: rows have (2 Degree + 1)^2 nonzeros at most. Default 0,
	// no mesh.
	Degree Expr `yaml:"degree"`
	// Kept is the probability that two unknowns of an element are coupled, 0 to
	// 1. Default 1. Only with Degree.
	Kept Expr `yaml:"kept"`
	// Scatter is how many unknowns that follow one another exchange their numbers at
	// random, 0 to 2^24, for gathers that touch more lines. Default 0, none.
	Scatter Expr `yaml:"scatter"`
	// Shortest and Longest are limits of the row lengths, 1 to 4096 and no more
	// than Rows. Default 4 and 256. Like the rest, only without Degree.
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

// maxNonzeros bounds a matrix.
const maxNonzeros = 1 << 28

func (m *Matrix) generate(a *args) output {
	r := a.seed(&m.Seed)
	rows := a.whole("rows", &m.Rows, 1, 1<<24, 0)
	degree := a.whole("degree", &m.Degree, 0, 16, 0)
	var columns [][]int32
	if degree > 0 {
		for _, x := range []struct {
			key string
			e   *Expr
		}{{"shortest", &m.Shortest}, {"longest", &m.Longest}, {"tail", &m.Tail}, {"band", &m.Band}, {"far", &m.Far}} {
			if x.e.given() {
				a.fail(x.key, "has no meaning with degree; valid: kept")
			}
		}
		columns = m.mesh(a, r, rows, degree)
	} else {
		if m.Kept.given() {
			a.fail("kept", "needs degree; valid: degree from 1 to 16, or shortest, longest, tail, band and far")
		}
		columns = m.powerLaw(a, r, rows)
	}
	scatter := a.whole("scatter", &m.Scatter, 0, 1<<24, 0)
	if a.err != nil {
		return output{}
	}
	if scatter > 0 {
		columns = renumbered(columns, r, scatter)
	}
	nonzeros := 0
	for _, list := range columns {
		nonzeros += len(list)
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

// renumbered are the columns of each row when unknowns exchange their numbers with
// unknowns of the same stretch.
func renumbered(columns [][]int32, r *random, stretch int) [][]int32 {
	number := make([]int32, len(columns))
	for i := range number {
		number[i] = int32(i)
		// Fisher and Yates, from the start of the stretch.
		from := i/stretch*stretch + r.below(i%stretch+1)
		number[i], number[from] = number[from], number[i]
	}
	moved := make([][]int32, len(columns))
	for row, list := range columns {
		for i := range list {
			list[i] = number[list[i]]
		}
		slices.Sort(list)
		moved[number[row]] = list
	}
	return moved
}

// powerLaw gives the columns of each row's nonzeros in order.
func (m *Matrix) powerLaw(a *args, r *random, rows int) [][]int32 {
	longest := a.whole("longest", &m.Longest, 1, min(4096, rows), min(256, rows))
	shortest := a.whole("shortest", &m.Shortest, 1, longest, min(4, longest))
	tail := a.number("tail", &m.Tail, 0, 0.9, 0.4)
	band := a.whole("band", &m.Band, 1, 1<<24, 512)
	far := a.number("far", &m.Far, 0, 1, 0.1)
	if a.err != nil {
		return nil
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
		if nonzeros += len(columns[row]); nonzeros > maxNonzeros {
			a.fail("rows", "with these lengths make more than 2^28 nonzeros; valid: fewer or shorter rows")
			return nil
		}
	}
	return columns
}

// mesh gives the columns of each row's nonzeros in order, for an equation on a
// mesh as wide as it is high. Both of two unknowns have their coupling or none.
func (m *Matrix) mesh(a *args, r *random, rows, degree int) [][]int32 {
	kept := a.number("kept", &m.Kept, 0, 1, 1)
	if a.err != nil {
		return nil
	}
	width := 1
	for (width+1)*(width+1) <= rows {
		width++
	}
	columns := make([][]int32, rows)
	nonzeros := 0
	for row := range columns {
		nonzeros++
		columns[row] = append(columns[row], int32(row))
		top, bottom := meets(row/width, degree)
		left, right := meets(row%width, degree)
		for y := top; y <= bottom; y++ {
			for x := left; x <= min(right, width-1); x++ {
				column := y*width + x
				if column <= row || column >= rows || kept < 1 && !r.chance(kept) {
					continue
				}
				nonzeros += 2
				columns[row] = append(columns[row], int32(column))
				columns[column] = append(columns[column], int32(row))
			}
		}
		if nonzeros > maxNonzeros {
			a.fail("rows", "with this degree make more than 2^28 nonzeros; valid: fewer rows or a lower degree")
			return nil
		}
	}
	return columns
}

// meets tells along one direction which grid points share an element with a
// point: the points of its own element, or of both if it lies between two. Elements
// meet at points Degree-1, 2 Degree-1 and so on, as the edge is left out.
func meets(at, degree int) (first, last int) {
	at++
	first, last = at/degree*degree, at/degree*degree+degree
	if at == first {
		first -= degree
	}
	return max(first-1, 0), last - 1
}
