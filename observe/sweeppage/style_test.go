package sweeppage

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"

	"cotenant/observe/look"
)

// The page's rules stand beside the rules that all pages share. A class of both would get
// the size of one part on the other.
func TestClassesOfThePageAreItsOwn(t *testing.T) {
	class := regexp.MustCompile(`(?m)^\.([a-z]+) \{`)
	shared := map[string]bool{}
	for _, m := range class.FindAllStringSubmatch(string(look.Style()), -1) {
		shared[m[1]] = true
	}
	assert.NotEmpty(t, shared)
	for _, m := range class.FindAllStringSubmatch(style, -1) {
		assert.False(t, shared[m[1]], "class %s is shared by all pages", m[1])
	}
}
