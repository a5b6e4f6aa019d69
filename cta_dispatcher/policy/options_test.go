package policy_test

import (
	"testing"

	"cotenant/cta_dispatcher/policy"

	"github.com/stretchr/testify/require"
)

func TestOptionsAreReadByTheirKind(t *testing.T) {
	o := policy.NewOptions(map[string]string{"n": "20k", "f": "0.25", "list": "6/4/3", "word": "all", "on": "on", "off": "off", "m": "drain", "none": "none"})
	require.Equal(t, 20_000, o.Int("n", 0, 1_000_000))
	require.Equal(t, uint64(20_000), o.Cycles("n", 1000))
	require.Equal(t, 0.25, o.Float("f", 0.25, 1, 0.5))
	require.Equal(t, []int{6, 4, 3}, o.Ints("list", "all", 3, 6, "1/2"))
	require.Nil(t, o.Ints("word", "all", 3, 6, "1/2"))
	require.True(t, o.On("on"))
	require.False(t, o.On("off"))
	require.Equal(t, policy.Drain, o.Mechanism("m", policy.Switch, policy.Drain))
	m, given := o.MechanismOr("none", "m", policy.Ideal, policy.Drain)
	require.Equal(t, []any{policy.Drain, true}, []any{m, given})
	_, given = o.MechanismOr("none", "none", policy.Ideal)
	require.False(t, given)
	require.NoError(t, o.Err())
}

// All errors are told at once, each with valid values.
func TestOptionsKeepTheErrorsOfAllValues(t *testing.T) {
	o := policy.NewOptions(map[string]string{"n": "-1", "f": "NaN", "list": "6/7", "on": "yes", "m": "switch"})
	o.Int("n", 0, 5)
	o.Float("f", 0.05, 1, 0.9)
	o.Ints("list", "all", 1, 6, "1/2")
	o.On("on")
	o.MechanismOr("none", "m", policy.Ideal)
	require.EqualError(t, o.Err(), "option n=-1: must be a whole number from 0 to 5\n"+
		"option f=NaN: valid: a number from 0.05 to 1, such as 0.9\n"+
		"option list=6/7: valid: all, or whole numbers from 1 to 6 such as 1/2\n"+
		"option on=yes: valid: on, off\n"+
		"option m=switch: valid: none, ideal")
}
