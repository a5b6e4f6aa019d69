// Package contract is the test suite that every registered sharing policy
// passes. It has the SM driver run scenarios under a policy, on stub SMs that
// know thread blocks, what they take and how long they run, and nothing else; and
// a referee between driver and policy looks at what the policy is shown and at
// what it asks for.
//
// The test of a policy's package calls Check, so that a package's tests hold its own
// policy to the contract. The tests of this package are scenarios written by hand,
// under one policy or several.
package contract
