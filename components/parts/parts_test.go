package parts

import (
	"testing"

	"github.com/stretchr/testify/require"
)

type options struct {
	Depth int  `yaml:"depth" range:"1..8"`
	Loud  bool `yaml:"loud"`
}

func set() *Set[string, any] {
	s := &Set[string, any]{}
	s.Add("plain", func(context string) any { return context })
	AddWithOptions(s, "bell", options{Depth: 2}, func(_ string, o options) any { return o })
	return s
}

func TestNameChoosesAPartAndOptionsFollowIt(t *testing.T) {
	for text, want := range map[string]any{
		"plain": "context", "bell": options{Depth: 2}, "bell:depth=8": options{Depth: 8}, "bell:loud=true,depth=1": options{1, true},
	} {
		got, err := set().New("part", text, "context")
		require.NoError(t, err)
		require.Equal(t, want, got, text)
	}
	require.Equal(t, []string{"bell", "plain"}, set().Names())
}

func TestErrorsNameTheKeyAndWhatIsValid(t *testing.T) {
	for text, want := range map[string]string{
		"":             `part is "", must be one of bell, plain`,
		"bel:depth=1":  `part is "bel", must be one of bell, plain`,
		"bell:depth=9": `part is "bell:depth=9": depth is 9, must be 1 to 8`,
		"bell:depth":   `part is "bell:depth": depth is "", must be a whole number`,
		"bell:loud=2":  `part is "bell:loud=2": loud is "2", must be true or false`,
		"bell:deep=1":  `part is "bell:deep=1": unknown option "deep"; valid: depth, loud`,
		"plain:deep=1": `part is "plain:deep=1": unknown option "deep"; valid: none`,
	} {
		require.EqualError(t, set().Check("part", text), want)
	}
}

func TestNameIsTakenOnce(t *testing.T) {
	require.PanicsWithValue(t, "two parts are called plain", func() { set().Add("plain", nil) })
}
