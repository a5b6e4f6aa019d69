package look

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestLibraryIsThatOfItsAuthors has the digest of dist/echarts.min.js in version
// 5.6.0 of the npm package echarts.
func TestLibraryIsThatOfItsAuthors(t *testing.T) {
	js, err := Library()
	require.NoError(t, err)
	sum := sha256.Sum256([]byte(js))
	assert.Equal(t, "bf4a223524e40b77c304bec67e1222cf551f14880cf42c69dc046558e11c07b1", hex.EncodeToString(sum[:]))
}
