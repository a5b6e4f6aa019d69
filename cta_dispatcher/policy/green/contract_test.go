package green_test

import (
	"testing"

	"cotenant/cta_dispatcher/policy/contract"
	_ "cotenant/cta_dispatcher/policy/green"
)

func TestContract(t *testing.T) {
	contract.Check(t, "green", "sms=even", "sms=-/-/-/-", "sms=2/-/-/2", "sms=-/1/-/3")
}
