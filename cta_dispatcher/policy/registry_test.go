package policy_test

import (
	"errors"
	"testing"

	"cotenant/cta_dispatcher/policy"
	_ "cotenant/cta_dispatcher/policy/all"

	"github.com/stretchr/testify/require"
)

// tuned is a policy that keeps what its options were.
type tuned struct{ epoch, share int }

func (tuned) Decide(*policy.View, policy.Placer) {}

func init() {
	policy.Register(policy.Descriptor{
		Name: "tuned", About: "for tests",
		Options: []policy.Option{{Name: "epoch", Default: "10"}, {Name: "share", Default: "50"}},
		New: func(o policy.Options) (policy.Policy, error) {
			epoch, err := o.Int("epoch", 1, 100)
			share, err2 := o.Int("share", 0, 100)
			return tuned{epoch, share}, errors.Join(err, err2)
		},
	})
}

func TestRegisteredPoliciesAreListedByName(t *testing.T) {
	var names []string
	for _, d := range policy.All() {
		require.NotEmpty(t, d.About, d.Name)
		names = append(names, d.Name)
	}
	require.Equal(t, []string{"even", "fcfs", "spart", "tuned"}, names)
}

func TestParseTakesOptionsAndDefaults(t *testing.T) {
	for spec, want := range map[string]tuned{"tuned": {10, 50}, "tuned:epoch=3": {3, 50}, "tuned:share=0,epoch=100": {100, 0}} {
		p, err := policy.Parse(spec)
		require.NoError(t, err, spec)
		require.Equal(t, want, p, spec)
	}
}

func TestParseNamesWhatIsWrong(t *testing.T) {
	for spec, want := range map[string]string{
		"":                                 `unknown policy ""; valid: even, fcfs, spart, tuned`,
		"FCFS":                             `unknown policy "FCFS"; valid: even, fcfs, spart, tuned`,
		"fcfs ":                            `unknown policy "fcfs "; valid: even, fcfs, spart, tuned`,
		"smk:epoch=10k":                    `unknown policy "smk"; valid: even, fcfs, spart, tuned`,
		"fcfs:epoch=1":                     `policy fcfs takes no options, got "epoch=1"`,
		"fcfs:":                            `policy fcfs takes no options, got ""`,
		"tuned:":                           `policy tuned: unknown option ""; valid: epoch, share`,
		"tuned:epoch":                      `policy tuned: unknown option "epoch"; valid: epoch, share`,
		"tuned:epochs=1":                   `policy tuned: unknown option "epochs=1"; valid: epoch, share`,
		"tuned:epoch=1,":                   `policy tuned: unknown option ""; valid: epoch, share`,
		"tuned:epoch=":                     `policy tuned: option epoch=: must be a whole number from 1 to 100`,
		"tuned:epoch=1k":                   `policy tuned: option epoch=1k: must be a whole number from 1 to 100`,
		"tuned:epoch=0":                    `policy tuned: option epoch=0: must be a whole number from 1 to 100`,
		"tuned:share=99999999999999999999": `policy tuned: option share=99999999999999999999: must be a whole number from 0 to 100`,
	} {
		_, err := policy.Parse(spec)
		require.EqualError(t, err, want, spec)
	}
}
