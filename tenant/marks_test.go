package tenant

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestMarksTellEqualNamesApart(t *testing.T) {
	assert.Equal(t, []string{"a", "", "b"}, Marks([]string{"sgemm", "lbm", "sgemm"}))
	assert.Equal(t, []string{"", ""}, Marks([]string{"sgemm", "lbm"}))
	assert.Equal(t, "p", Marks(make([]string, Max))[Max-1])
}

func TestNameWithoutAMarkIsTheNameItself(t *testing.T) {
	assert.Equal(t, []string{"sgemm (b)", "sgemm"}, []string{Marked("sgemm", "b"), Marked("sgemm", "")})
}
