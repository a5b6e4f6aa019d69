package instances

import (
	"testing"

	"cotenant/cta_dispatcher/policy"

	"github.com/stretchr/testify/require"
)

// a100 are the profiles of an A100 40 GB.
var a100 = Profiles{MemorySlices: 8, Profiles: []Profile{
	{"1g.5gb", 14, 1, []int{0, 1, 2, 3, 4, 5, 6}, 4864, 1}, {"2g.10gb", 28, 2, []int{0, 2, 4}, 9984, 2}, {"3g.20gb", 42, 4, []int{0, 4}, 20090, 3},
	{"4g.20gb", 56, 4, []int{0}, 20090, 4}, {"7g.40gb", 98, 8, []int{0}, 40325, 7},
}}

func place(t *testing.T, names ...string) []Instance {
	t.Helper()
	var list []Request
	for _, n := range names {
		list = append(list, Request{Profile: n})
	}
	placed, err := a100.Place(list, 108)
	require.NoError(t, err, names)
	return placed
}

func TestInstancesHaveMemorySlicesWhereTheyCanStart(t *testing.T) {
	starts := func(list []Instance) (at []int) {
		for i := range list {
			at = append(at, list[i].FirstSlice)
		}
		return at
	}
	require.Equal(t, []int{0, 4}, starts(place(t, "3g.20gb", "3g.20gb")))
	require.Equal(t, []int{4, 0}, starts(place(t, "3g.20gb", "4g.20gb")), "4g.20gb starts at 0 only")
	require.Equal(t, []int{4, 0}, starts(place(t, "1g.5gb", "4g.20gb")))
	require.Equal(t, []int{0, 2, 4, 6}, starts(place(t, "2g.10gb", "2g.10gb", "2g.10gb", "1g.5gb")))
	require.Equal(t, []int{0, 1, 2, 3, 4, 5, 6}, starts(place(t, "1g.5gb", "1g.5gb", "1g.5gb", "1g.5gb", "1g.5gb", "1g.5gb", "1g.5gb")))
}

func TestSMsFollowTheMemorySlices(t *testing.T) {
	list := place(t, "3g.20gb", "4g.20gb")
	require.Equal(t, policy.Range{First: 56, End: 98}, list[0].SMs)
	require.Equal(t, policy.Range{First: 0, End: 56}, list[1].SMs)
	require.Equal(t, []int{0}, list[0].Tenants)
	require.Equal(t, &list[1], Of(list, 1))
	require.Nil(t, Of(list, 2))
}

func TestInstancesWithoutTenantsGetTheLowestThatNoOtherNames(t *testing.T) {
	list, err := a100.Place([]Request{{Profile: "1g.5gb"}, {Profile: "2g.10gb", Tenants: []int{0, 2}}, {Profile: "1g.5gb"}}, 108)
	require.NoError(t, err)
	require.Equal(t, []int{1}, list[0].Tenants)
	require.Equal(t, []int{0, 2}, list[1].Tenants)
	require.Equal(t, []int{3}, list[2].Tenants)
}

func TestWhatDoesNotFitIsSaid(t *testing.T) {
	for _, c := range []struct {
		want string
		list []Request
	}{
		{`mig[1].profile is "5g.20gb"; valid: 1g.5gb, 2g.10gb, 3g.20gb, 4g.20gb, 7g.40gb`, []Request{{Profile: "1g.5gb"}, {Profile: "5g.20gb"}}},
		{"mig has 4g.20gb, 4g.20gb, which do not fit beside each other; valid: 1g.5gb from memory slice 0 or 1", []Request{{Profile: "4g.20gb"}, {Profile: "4g.20gb"}}},
		{"mig has 3g.20gb, 3g.20gb, 1g.5gb, which do not fit", []Request{{Profile: "3g.20gb"}, {Profile: "3g.20gb"}, {Profile: "1g.5gb"}}},
		{"mig[1].tenants has tenant 0, which runs in instance 1g.5gb already", []Request{{Profile: "1g.5gb", Tenants: []int{0}}, {Profile: "1g.5gb", Tenants: []int{0}}}},
		{"mig[0].tenants has 16, must be 0 to 15", []Request{{Profile: "1g.5gb", Tenants: []int{16}}}},
	} {
		_, err := a100.Place(c.list, 108)
		require.ErrorContains(t, err, c.want)
	}
	_, err := a100.Place([]Request{{Profile: "7g.40gb"}}, 14)
	require.EqualError(t, err, "mig has 7g.40gb, which take 98 SMs; valid: at most 14")
	_, err = (&Profiles{}).Place([]Request{{Profile: "1g.5gb"}}, 16)
	require.ErrorContains(t, err, "valid: a GPU with mig_profiles, such as a100 or h100")
}

func TestProfilesAreChecked(t *testing.T) {
	require.NoError(t, a100.Validate(80))
	require.EqualError(t, a100.Validate(12), "memory_slices is 8, must be at least 1 and divide address.channels, which is 12")
	wrong := Profiles{MemorySlices: 8, Profiles: []Profile{{"3g.20gb", 42, 4, []int{5}, 1, 1}}}
	require.EqualError(t, wrong.Validate(80), "profiles[0].starts has 5, must be from 0 to 4")
	wrong.Profiles[0].CopyEngines = 0
	require.EqualError(t, wrong.Validate(80), "profiles[0].copy_engines is 0, must be 1 to 64")
}
