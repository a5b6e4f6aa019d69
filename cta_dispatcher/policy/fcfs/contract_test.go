package fcfs_test

import (
	"testing"

	"cotenant/cta_dispatcher/policy/contract"
	_ "cotenant/cta_dispatcher/policy/fcfs"
)

func TestContract(t *testing.T) {
	contract.Check(t, "fcfs")
}
