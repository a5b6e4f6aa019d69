# Everyday commands. CI runs .ci/run.

.PHONY: run test bench lint fuzz kernels workloads

# Compare the default mix under the base policies.
run:
	go run ./platform

test:
	go test ./...

# Engine against stock Akita, blocks, and whole simulations.
bench:
	go test -run '^$$' -bench . ./components
	go test -run '^$$' -bench . ./interconnect ./mem/... ./workload/...
	go test -run '^$$' -bench . -benchtime 3x ./tests

lint:
	test -z "$$(gofmt -l .)"
	go vet ./...
	go run honnef.co/go/tools/cmd/staticcheck@v0.7.0 ./...

# Each parser for half a minute. Minimising one input at length would leave no
# time for others.
FUZZ = go test -run '^$$' -fuzztime 30s -fuzzminimizetime 10x
fuzz:
	$(FUZZ) -fuzz '^FuzzTrace$$' ./workload/traceg
	$(FUZZ) -fuzz '^FuzzKernelsList$$' ./workload/traceg
	$(FUZZ) -fuzz '^FuzzProfile$$' ./workload/profile
	$(FUZZ) -fuzz '^FuzzPreset$$' ./platform/presets
	$(FUZZ) -fuzz '^FuzzParse$$' ./workload/ptx
	$(FUZZ) -fuzz '^FuzzAnalyses$$' ./workload/ptx/flow
	$(FUZZ) -fuzz '^FuzzLower$$' ./workload/ptx/sass
	$(FUZZ) -fuzz '^FuzzManifest$$' ./workload/kernels
	$(FUZZ) -fuzz '^FuzzExpression$$' ./workload/kernels

# The PTX of the built-in kernels, from their CUDA sources; needs clang-16.
kernels:
	./workload/kernels/compile.sh

# Figures of the built-in applications, for the documents and for list; takes
# minutes.
workloads:
	go run ./platform report workloads --into docs/workloads.md --data experiment/workloads/data/small.json
