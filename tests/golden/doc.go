// Package golden holds the golden set: runs of the program whose results must
// stay the same to the byte when the code is rebuilt without changing what is
// simulated. Each line of the lists in testdata is one run.
//
// Results are compared without wall times, the build's version and config_hash,
// and without fields added since the set was recorded: testdata/keys.txt names
// those that count. The GPUs are the set's own, in testdata/gpus, and not the
// presets of these names: figures of a chip that are corrected there are no
// change of the code.
//
//	go test ./tests/golden                          this tree against the set
//	go test ./tests/golden -program FILE            a program built before
//	go test ./tests/golden -reference FILE          what differs from a program that is right
//	go test ./tests/golden -update [-program FILE]  record the set anew
package golden
