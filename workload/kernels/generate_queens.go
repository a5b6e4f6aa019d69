package kernels

// Queens is all ways to put queens on the first rows of a chess board, none
// attacking another, in the order of their columns.
//
// Parts: columns, the set of taken columns, and from_right and from_left, the
// fields of the next row that queens above attack from the upper right and the upper
// left (u32, as s32); bit 0 is the rightmost column. Numbers: count, the ways.
type Queens struct {
	// Width is that of the board.
	Width int `yaml:"width" range:"1..24"`
	// Rows is how many are filled.
	Rows int `yaml:"rows" range:"1..min(width, 6)"`
}

func (g *Queens) generate(place) output {
	var columns, right, left []int32
	var fill func(row int, c, r, l int32)
	fill = func(row int, c, r, l int32) {
		if row == g.Rows {
			columns, right, left = append(columns, c), append(right, r), append(left, l)
			return
		}
		for column := range g.Width {
			if queen := int32(1) << column; queen&(c|r|l) == 0 {
				fill(row+1, c|queen, (r|queen)>>1, (l|queen)<<1&(1<<g.Width-1))
			}
		}
	}
	fill(0, 0, 0, 0)
	return output{
		parts:   []part{{"columns", columns}, {"from_right", right}, {"from_left", left}},
		numbers: []number{{"count", len(columns)}},
	}
}
