package tensor

// Lanes is the number of lanes of a warp.
const Lanes = 32

// A Layout says which element of a matrix each lane holds at each place of its registers
// (PTX ISA 8.6, "Matrix Fragments for mma"). A word is a register of 32 bits, or of 64 for
// f64; a word of small elements holds several, the first in its lowest bits.
//
// Lane 4g+t holds rows g, g+8 and so on of A and of C and D, and columns g of B.
type Layout struct {
	// Words is the number of registers of a lane, PerWord that of elements in each.
	Words, PerWord int
	// At has for each lane, word and element, in that order, the place of the element in the
	// matrix, row by row.
	At []uint16
}

// layoutOf fills a layout from the row and column of an element e of word j of lane 4g+t.
func layoutOf(words, perWord, width int, at func(g, t, j, e int) (row, column int)) *Layout {
	l := &Layout{Words: words, PerWord: perWord}
	for lane := range Lanes {
		for j := range words {
			for e := range perWord {
				row, column := at(lane/4, lane%4, j, e)
				l.At = append(l.At, uint16(row*width+column))
			}
		}
	}
	return l
}

// layoutA is that of a matrix A of m rows: words go down, then to the right.
func layoutA(m, k, perWord int, along func(t, j int) int) *Layout {
	down := m / 8
	return layoutOf(down*k/(4*perWord), perWord, k, func(g, t, j, e int) (row, column int) {
		return g + 8*(j%down), perWord*along(t, j/down) + e
	})
}

// layoutB is that of a matrix B of 8 columns.
func layoutB(k, perWord int, along func(t, j int) int) *Layout {
	return layoutOf(k/(4*perWord), perWord, 8, func(g, t, j, e int) (row, column int) {
		return perWord*along(t, j) + e, g
	})
}

// layoutC is that of C and D of m rows and 8 columns. Two neighbours of a row are in one word
// of two elements, or in two words of one.
func layoutC(m, perWord int) *Layout {
	return layoutOf(m/4/perWord, perWord, 8, func(g, t, j, e int) (row, column int) {
		i := j*perWord + e
		return g + 8*(i/2), 2*t + i%2
	})
}
