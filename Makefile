# Everyday commands. CI runs .ci/run.

.PHONY: run test slow soak bench bench-runs pgo lint mocks fuzz kernels workloads validation results

# Compare the default mix under the base policies.
run:
	go run ./platform

test:
	go test ./...

# Tests that take long, which CI leaves out.
slow:
	SLOW=1 go test -count=1 ./docs ./docs/examples/stockakita ./experiment/fit ./experiment/sweep ./experiment/validation ./workload/ptx/exec -run 'Tutorial|AkitasMemory|UnequalHalves|ExactRationals|DocumentIsWhatTheCommandMakes|WasFittedTo|StoredResults|LongCode|QuotedFigures'

# A test of the invariants of every run, on random runs of the whole platform.
SOAK = 2000
soak:
	go test -count=1 -timeout 24h ./tests/conservation -v -runs $(SOAK) -seed 0

# Whole simulations, then engine against stock Akita, blocks, and emulation against replay.
bench: bench-runs
	go test -run '^$$' -bench . ./components
	go test -run '^$$' -bench . ./interconnect ./mem/... ./workload/...
	go test -run '^$$' -bench EmulatedAgainstReplayed -benchtime 3x ./tests

# A fixed set of whole simulations, under a minute on an idle machine.
bench-runs:
	go test -run '^$$' -bench . -skip EmulatedAgainstReplayed -benchtime 3x ./tests

# The profile with which the compiler speeds up the program's inner loops. Renew it
# when the loops have changed.
pgo:
	go test -trimpath -run '^$$' -bench 'ComputeBound|Mixed|Streaming' -benchtime 6x -cpu 1 -o "$${TMPDIR:-/tmp}/tests.test" -cpuprofile platform/default.pgo ./tests

lint:
	test -z "$$(gofmt -l .)"
	go build -C .ci/lint -o "$${TMPDIR:-/tmp}/cotenant-lint" .
	"$${TMPDIR:-/tmp}/cotenant-lint" ./...

# Mocks of interfaces between units, each set in a test file beside its tests.
MOCKGEN = go run github.com/golang/mock/mockgen@v1.6.0
mocks:
	$(MOCKGEN) -destination sm/mock_ews_test.go -package sm cotenant/sm/ews Scheduler
	$(MOCKGEN) -destination sm/mock_gate_test.go -package sm cotenant/sm/gate Gate
	$(MOCKGEN) -destination sm/mock_workload_test.go -package sm cotenant/workload Stream
	$(MOCKGEN) -destination sm/l1/mock_test.go -package l1 -self_package cotenant/sm/l1 cotenant/sm/l1 MissQueue,Victim,Waiter,Watcher
	$(MOCKGEN) -destination sm/lsu/mock_test.go -package lsu -self_package cotenant/sm/lsu cotenant/sm/lsu Cache,Faults,Meter,Parent,Taker,Translator
	$(MOCKGEN) -destination sm/tlb/mock_test.go -package tlb -self_package cotenant/sm/tlb cotenant/sm/tlb Network,Waiter
	$(MOCKGEN) -destination components/mock_test.go -package components_test github.com/sarchlab/akita/v3/sim Connection,Hook
	$(MOCKGEN) -destination cta_dispatcher/mock_workload_test.go -package dispatcher cotenant/workload Launch,Source
	$(MOCKGEN) -destination cta_dispatcher/policy/mock_test.go -package policy_test cotenant/cta_dispatcher/policy Actions

# Each parser for half a minute. Minimising an input at length would leave no time for
# further inputs.
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

# Figures of the built-in applications, for the documents and for list; they take
# minutes.
workloads:
	go run ./platform report workloads --gpu plain16 --into docs/workloads.md --data experiment/workloads/data/small.json

# Microkernels' measurements of the presets, for the documents.
validation:
	go run ./platform report validation --out docs/validation.md

# Reports of all published figures by one build, at the quick scale, for the document, but for
# figures of CUDA programs. Hours; a repeated command goes on.
RESULTS = $${TMPDIR:-/tmp}/cotenant-results
results:
	mkdir -p $(RESULTS)
	go build -o $(RESULTS)/cotenant ./platform
	for name in $$(ls experiment/reproduce/figures | sed 's/\.yaml$$//' | grep -v '^silicon'); do \
		$(RESULTS)/cotenant reproduce $$name --quick --store $(RESULTS)/results.sqlite --json $(RESULTS)/$$name.json || exit 1; done
	$(RESULTS)/cotenant report results $(RESULTS)/*.json --commit "$$(git rev-parse --short=8 HEAD)" --date "$$(date +%F)" --out docs/results.md
