package cli

import "context"

// partialError ends an interrupted run that has written what it had reached.
type partialError struct{ at string }

// Error says where the run was interrupted.
func (e *partialError) Error() string { return e.at + "; the outputs hold what the run had reached" }

// Unwrap makes it an interruption.
func (e *partialError) Unwrap() error { return context.Canceled }
