package reproduce

// every is the first of each n mixes.
func every(n int, mixes [][]string) (some [][]string) {
	for i := 0; i < len(mixes); i += n {
		some = append(some, mixes[i])
	}
	return some
}
