//go:build !amd64 || purego

package tensor

// Without vector instructions every product of matrices goes the general way.
const vectors = false

func decodeHalves(to *decoded, patterns *uint64, n int) bool { return false }

func decodeSingles(to *decoded, patterns *uint64, n int, shift uint64, mask uint32) bool {
	return false
}

func multiplyRows(p *product) bool { return false }

func decodeBytes(to *[maxRows * maxDepth]int32, patterns *uint64, n int, signed bool) {}

func multiplyBytes(p *integers) {}
