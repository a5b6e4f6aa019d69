// Package contract tests sharing policies; every registered policy passes. The real SM
// driver runs scenarios under a policy, on stub SMs that know only thread blocks, their
// demands and durations. A referee between driver and policy checks each View and each action.
//
// The test of a policy's package calls Check, so that a package's tests hold its own policy to
// the contract. This package's own tests are scenarios written by hand, under one policy or
// several.
package contract
