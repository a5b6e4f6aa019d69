package profile

import (
	"math"
	"strconv"
	"strings"
)

// Bytes is a size. In YAML it is a whole number, or a number with a
// suffix: KiB, MiB or GiB.
type Bytes int64

var suffixes = []struct {
	text string
	size int64
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}}

// Takes says how a size is written.
func (b *Bytes) Takes() string { return "a number of bytes, such as 65536, 64KiB or 2MiB" }

// UnmarshalText reads a size.
func (b *Bytes) UnmarshalText(text []byte) error {
	number, unit := string(text), int64(1)
	for _, s := range suffixes {
		if before, ok := strings.CutSuffix(number, s.text); ok {
			number, unit = before, s.size
			break
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return err
	}
	if n > math.MaxInt64/unit || n < math.MinInt64/unit {
		return strconv.ErrRange
	}
	*b = Bytes(n * unit)
	return nil
}

// String writes the size with the largest suffix that leaves a whole number.
func (b Bytes) String() string {
	for _, s := range suffixes {
		if b != 0 && int64(b)%s.size == 0 {
			return strconv.FormatInt(int64(b)/s.size, 10) + s.text
		}
	}
	return strconv.FormatInt(int64(b), 10)
}
