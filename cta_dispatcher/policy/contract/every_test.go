package contract

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"cotenant/cta_dispatcher/policy"
	_ "cotenant/cta_dispatcher/policy/all"
	"cotenant/tests/draws"

	"github.com/stretchr/testify/require"
)

// folder is where a policy's package is, beside this one.
func folder(d policy.Descriptor) string {
	made := runtime.FuncForPC(reflect.ValueOf(d.New).Pointer()).Name() // cotenant/cta_dispatcher/policy/smk.init.0.func1
	name, _, _ := strings.Cut(made[strings.LastIndex(made, "/")+1:], ".")
	return filepath.Join("..", name)
}

func TestEveryPolicysPackageChecksTheContract(t *testing.T) {
	for _, d := range policy.All() {
		file := filepath.Join(folder(d), "contract_test.go")
		text, err := os.ReadFile(file)
		require.NoError(t, err, "policy %s needs a test that calls contract.Check", d.Name)
		require.Contains(t, string(text), fmt.Sprintf("contract.Check(t, %q", d.Name), file)
	}
}

// The test of block switching sees thread blocks that the policy preempts meanwhile.
func TestBlockSwitchingMeetsPreemption(t *testing.T) {
	draws.Few(t, 25)
	require.NotZero(t, (&suite{name: "timeslice", specs: []string{"timeslice:slice=1k"}}).switchBlocks(t))
}
