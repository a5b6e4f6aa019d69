package wiring

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGPCsMustHoldAllSMs(t *testing.T) {
	c := Config{SMs: EqualSMs(7), GPCs: []int{4, 1, 2}}
	require.NoError(t, c.validateGPCs())
	c.GPCs = []int{4, 2}
	require.EqualError(t, c.validateGPCs(), "gpcs hold 6 SMs, must hold sms, 7; with other sms give gpcs too, or gpcs=[]")
	c.GPCs = []int{4, 0, 3}
	require.EqualError(t, c.validateGPCs(), "gpcs[1] is 0, must be 1 to 1024")
	c.GPCs = nil
	require.NoError(t, c.validateGPCs())
}

func TestLesserHalfIsBetweenGPCs(t *testing.T) {
	c := Config{SMs: EqualSMs(7), GPCs: []int{4, 1, 2}}
	require.Equal(t, 3, c.LesserHalf())
	c.GPCs = []int{2, 3, 2}
	require.Equal(t, 2, c.LesserHalf())
	c.GPCs = nil
	require.Equal(t, 3, c.LesserHalf())
}
