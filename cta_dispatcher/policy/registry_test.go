package policy_test

import (
	"slices"
	"strings"
	"testing"

	"cotenant/cta_dispatcher/policy"
	_ "cotenant/cta_dispatcher/policy/all"

	"github.com/stretchr/testify/require"
)

// tuned is a policy that keeps its options.
type tuned struct{ epoch, share int }

func (tuned) Needs() policy.Needs { return policy.Needs{} }

func (tuned) Decide(*policy.View, policy.Actions) {}

func init() {
	policy.Register(policy.Descriptor{
		Name: "tuned", About: "for tests",
		Options: []policy.Option{{Name: "epoch", Default: "10"}, {Name: "share", Default: "50"}},
		New: func(o *policy.Options) policy.Policy {
			return tuned{o.Int("epoch", 1, 100), o.Int("share", 0, 100)}
		},
	})
}

func TestRegisteredPoliciesAreListedByName(t *testing.T) {
	var names []string
	for _, d := range policy.All() {
		require.NotEmpty(t, d.About, d.Name)
		names = append(names, d.Name)
	}
	require.True(t, slices.IsSorted(names), names)
	require.Subset(t, names, []string{"fcfs", "tuned"}) // of package all and of this test
}

func TestParseTakesOptionsAndDefaults(t *testing.T) {
	for spec, want := range map[string]tuned{"tuned": {10, 50}, "tuned:epoch=3": {3, 50}, "tuned:share=0,epoch=100": {100, 0}} {
		p, err := policy.Parse(spec)
		require.NoError(t, err, spec)
		require.Equal(t, want, p, spec)
	}
}

func TestParseNamesWhatIsWrong(t *testing.T) {
	var names []string
	for _, d := range policy.All() {
		names = append(names, d.Name)
	}
	valid := "; valid: " + strings.Join(names, ", ")
	for spec, want := range map[string]string{
		"":                                 `unknown policy ""` + valid,
		"FCFS":                             `unknown policy "FCFS"` + valid,
		"fcfs ":                            `unknown policy "fcfs "` + valid,
		"smkk:epoch=10k":                   `unknown policy "smkk"` + valid,
		"fcfs:epoch=1":                     `policy fcfs takes no options, got "epoch=1"`,
		"fcfs:":                            `policy fcfs takes no options, got ""`,
		"tuned:":                           `policy tuned: invalid option ""; valid: epoch=VALUE, share=VALUE`,
		"tuned:epoch":                      `policy tuned: invalid option "epoch"; valid: epoch=VALUE, share=VALUE`,
		"tuned:epochs=1":                   `policy tuned: invalid option "epochs=1"; valid: epoch=VALUE, share=VALUE`,
		"tuned:epoch=1,":                   `policy tuned: invalid option ""; valid: epoch=VALUE, share=VALUE`,
		"tuned:epoch=":                     `policy tuned: invalid option "epoch="; valid: epoch=VALUE, share=VALUE`,
		"tuned:epoch=1,epoch=1":            `policy tuned: option epoch is given twice; once is enough`,
		"tuned:epoch=1k":                   `policy tuned: option epoch=1k: must be a whole number from 1 to 100`,
		"tuned:epoch=0":                    `policy tuned: option epoch=0: must be a whole number from 1 to 100`,
		"tuned:epoch=-1":                   `policy tuned: option epoch=-1: must be a whole number from 1 to 100`,
		"tuned:share=9223372036854775807M": `policy tuned: option share=9223372036854775807M: must be a whole number from 0 to 100`,
		"spart:preempt=flush":              `policy spart: option preempt=flush: valid: none, switch, drain, ideal`,
		"ppq:mode=both":                    `policy ppq: option mode=both: valid: exclusive, shared`,
		"dss:tokens=1//2":                  `policy dss: option tokens=1//2: valid: equal, or whole numbers from 1 to 1000 such as 6/4/3`,
		"smk-pw:quota=warp":                `policy smk-pw: option quota=warp: valid: sm, scheduler`,
		"smk-pw:wipc=guessed":              `policy smk-pw: option wipc=guessed: valid: profiled, isolated`,
		"smk-pw:epoch=10":                  `policy smk-pw: option epoch=10: must be a whole number from 1000 to 1000000000, such as 2k or 2M`,
		"tuned:share=99999999999999999999": `policy tuned: option share=99999999999999999999: must be a whole number from 0 to 100`,
	} {
		_, err := policy.Parse(spec)
		require.EqualError(t, err, want, spec)
	}
}
