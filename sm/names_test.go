package sm

import (
	"cotenant/sm/pipes"
	"cotenant/sm/queued"
	"cotenant/sm/tally"
)

// The names of parts that tests use often.
type (
	FaultsSpec = queued.FaultsSpec
	PipeSpec   = pipes.PipeSpec
	PipesSpec  = pipes.Spec
	UnitSpec   = pipes.UnitSpec
)

const (
	Control      = tally.Control
	RAWLong      = tally.RAWLong
	AsyncWait    = tally.AsyncWait
	MBarrierWait = tally.MBarrierWait
	RAWOther     = tally.RAWOther
	LSUFull      = tally.LSUFull
	PipeFull     = tally.PipeFull
	Quota        = tally.Quota
	Preempted    = tally.Preempted

	operandLog = "operand-log"

	toldAfter = 3 // cycles, as of package queued
)
