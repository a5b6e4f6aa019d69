// Package golden holds the golden set: runs of the program with results that must stay
// the same to the byte when the code is rebuilt without changing the model. Each line of
// the lists in testdata is one run.
//
// Results are compared without wall times, the build's version and config_hash, and
// without fields added since the set was recorded: testdata/keys.txt names the fields
// that count. The GPUs are the set's own, in testdata/gpus, and not the presets of these
// names, because a corrected figure of a chip does not change the code.
//
//	go test ./tests/golden                          this tree against the set
//	go test ./tests/golden -program FILE            a program built before
//	go test ./tests/golden -reference FILE          what differs from a program that is right
//	go test ./tests/golden -update [-program FILE]  record the set anew
package golden
