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
	seeded
	// Rows is the number of rows.
	Rows int `yaml:"rows" range:"1..1 << 24"`
	// Degree bounds the nonzeros of a row to (2 Degree + 1)^2. 0 is no mesh.
	Degree int `yaml:"degree" range:"0..16" default:"0"`
	// Kept is the probability that two unknowns of an element are coupled.
	Kept float64 `yaml:"kept" range:"0..1" default:"1" with:"degree"`
	// Scatter is how many unknowns that follow one another exchange their numbers at
	// random, for gathers that touch more lines.
	Scatter int `yaml:"scatter" range:"0..1 << 24" default:"0"`
	// Longest and Shortest are limits of the row lengths.
	Longest  int `yaml:"longest" range:"1..min(4096, rows)" default:"min(256, rows)" without:"degree"`
	Shortest int `yaml:"shortest" range:"1..longest" default:"min(4, longest)" without:"degree"`
	// Tail is as above.
	Tail float64 `yaml:"tail" range:"0..0.9" default:"0.4" without:"degree"`
	// Band in columns to either side.
	Band int `yaml:"band" range:"1..1 << 24" default:"512" without:"degree"`
	// Far is the probability that a nonzero lies anywhere.
	Far float64 `yaml:"far" range:"0..1" default:"0.1" without:"degree"`
}

// groupRows is the number of rows that are padded to one length: a warp's.
const groupRows = 32

// maxNonzeros bounds a matrix.
const maxNonzeros = 1 << 28

func (m *Matrix) generate(at place) output {
	r, rows := m.random(), m.Rows
	var columns [][]int32
	if m.Degree > 0 {
		columns = m.mesh(at, r)
	} else {
		columns = m.powerLaw(at, r)
	}
	if m.Scatter > 0 {
		columns = renumbered(columns, r, m.Scatter)
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
func (m *Matrix) powerLaw(at place, r *random) [][]int32 {
	rows := m.Rows
	columns := make([][]int32, rows)
	nonzeros := 0
	for row := range columns {
		length := m.Shortest
		for length < m.Longest && r.chance(m.Tail) {
			length *= 2
		}
		length = min(length+r.below(length), m.Longest)
		low, high := max(0, row-m.Band), min(rows, row+m.Band+1)
		list := []int32{int32(row)}
		for len(list) < length {
			if r.chance(m.Far) {
				list = append(list, int32(r.below(rows)))
			} else {
				list = append(list, int32(low+r.below(high-low)))
			}
		}
		slices.Sort(list)
		columns[row] = slices.Compact(list)
		if nonzeros += len(columns[row]); nonzeros > maxNonzeros {
			at.fail("rows", "with these lengths make more than 2^28 nonzeros; valid: fewer or shorter rows")
		}
	}
	return columns
}

// mesh gives the columns of each row's nonzeros in order, for an equation on a
// mesh as wide as it is high. Both of two unknowns have their coupling or none.
func (m *Matrix) mesh(at place, r *random) [][]int32 {
	rows, degree := m.Rows, m.Degree
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
				if column <= row || column >= rows || m.Kept < 1 && !r.chance(m.Kept) {
					continue
				}
				nonzeros += 2
				columns[row] = append(columns[row], int32(column))
				columns[column] = append(columns[column], int32(row))
			}
		}
		if nonzeros > maxNonzeros {
			at.fail("rows", "with this degree make more than 2^28 nonzeros; valid: fewer rows or a lower degree")
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
