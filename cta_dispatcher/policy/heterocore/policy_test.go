package heterocore

import (
	"testing"

	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"

	"github.com/stretchr/testify/require"
)

func TestOptions(t *testing.T) {
	for spec, want := range map[string]string{
		"heterocore:margin=0.05,warmup=1k,measure=1000M": "",
		"heterocore:margin=1.1":                          "policy heterocore: option margin=1.1: valid: a number from 0 to 1, such as 0.05",
		"heterocore:margin=NaN":                          "policy heterocore: option margin=NaN: valid: a number from 0 to 1, such as 0.05",
		"heterocore:profile=tb":                          "policy heterocore: option profile=tb: valid: kernel, launch, app",
		"heterocore:preempt=none":                        "policy heterocore: option preempt=none: valid: adaptive, switch, drain, ideal",
		"heterocore-static:goal=fair":                    "policy heterocore-static: option goal=fair: valid: classification, stp, balanced",
		"heterocore-static:ipc=absent.yaml":              "policy heterocore-static: absent.yaml: cannot be read: no such file or directory; give the path of a list of offline IPCs",
	} {
		_, err := policy.Parse(spec)
		if want == "" {
			require.NoError(t, err, spec)
		} else {
			require.EqualError(t, err, want)
		}
	}
	for _, name := range []string{"warmup", "measure"} {
		_, err := policy.Parse("heterocore:" + name + "=999")
		require.ErrorContains(t, err, "option "+name+"=999")
	}
}

func TestGPUsThatDoNotDo(t *testing.T) {
	for spec, needs := range map[string]bool{"heterocore": true, "heterocore-static": true, "heterocore-agnostic": false} {
		d := sit(t, spec, 2, 2)
		check := d.policy.Needs().Check
		require.Equal(t, needs, check != nil)
		if check == nil {
			continue
		}
		require.NoError(t, check(&d.view))
		d.view.SMs[0].Kind = 3
		require.EqualError(t, check(&d.view), "the policy needs big and small SMs, and the GPU has 3 kinds; valid: one or two")
	}
	d := sit(t, "heterocore", 2, 2)
	d.view.Machine.BaseSM = occupancy.Capacity{}
	require.Error(t, d.policy.Needs().Check(&d.view))
}
