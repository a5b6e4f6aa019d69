package sampling

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// roles writes a plan's roles, a letter for each launch.
func roles(p *Plan) string {
	var text strings.Builder
	for _, r := range p.Roles {
		text.WriteByte(".wR"[r])
	}
	return text.String()
}

func TestRepresentativesStandInTheMiddleOfEqualStretches(t *testing.T) {
	for _, c := range []struct {
		members int
		list    []int
	}{
		{1, []int{0}}, {3, []int{0, 1, 2}}, {4, []int{0, 2, 3}}, {6, []int{1, 3, 5}}, {100, []int{16, 50, 83}},
	} {
		var members []int
		for i := range c.members {
			members = append(members, i)
		}
		require.Equal(t, c.list, representatives(members, 3), c.members)
	}
}

func TestPlanWarmsRepresentativesUp(t *testing.T) {
	s := Spec{Spread: 0.1, Representatives: 2, WarmUps: 2, Most: 1}
	loop := func(l *Launch, x uint64) { l.Kernel = string(rune('a' + x)) }
	for _, c := range []struct {
		name     string
		launches []Launch
		roles    string
		exact    int
		share    float64
	}{
		{"one kernel", launches(instructions, slices.Repeat([]uint64{1000}, 20)...), "...wwR.......wwR....", 0, 6. / 20},
		{"a first launch that differs", launches(instructions, append([]uint64{3000}, slices.Repeat([]uint64{1000}, 17)...)...), "R..wwR.....wwR....", 1, 9. / 20},
		{"kernels in turn share warm-ups", launches(loop, slices.Repeat([]uint64{0, 1}, 10)...), "..wwRR......wwRR....", 0, 8. / 20},
		{"too few to skip any", launches(instructions, 1000, 1000, 1000), "RwR", 3, 1},
	} {
		p, err := NewPlan(s, c.launches)
		require.NoError(t, err, c.name)
		require.Equal(t, c.roles, roles(p), c.name)
		require.Equal(t, c.exact, p.Exact, c.name)
		require.InDelta(t, c.share, p.Share, 1e-12, c.name)
		for cluster, members := range p.Clusters {
			for _, m := range members {
				require.Equal(t, cluster, p.Of[m], c.name)
			}
		}
	}
}

func TestPlanRefusesLaunchesThatDoNotRepeat(t *testing.T) {
	_, err := NewPlan(Default, launches(instructions, 1000, 2000, 4000, 8000))
	require.EqualError(t, err, "100 % of the instructions would be simulated, as its 4 launches form 4 clusters; valid: an application with launches that repeat, for at most 50 %")
	_, err = NewPlan(Default, nil)
	require.EqualError(t, err, "the application launches no kernel")
}

func TestSpecNamesTheFieldOutOfRange(t *testing.T) {
	require.NoError(t, Default.Validate())
	for field, change := range map[string]func(*Spec){
		"Spread":          func(s *Spec) { s.Spread = 0 },
		"Representatives": func(s *Spec) { s.Representatives = 1 },
		"WarmUps":         func(s *Spec) { s.WarmUps = 0 },
		"Most":            func(s *Spec) { s.Most = 1.1 },
	} {
		s := Default
		change(&s)
		require.ErrorContains(t, s.Validate(), "sampling.Spec."+field+" is ")
	}
}
