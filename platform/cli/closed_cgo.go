//go:build cgo && unix

package cli

/*
#include <fcntl.h>

static int was_closed;

__attribute__((constructor)) static void look(void) { was_closed = fcntl(1, F_GETFD) < 0; }

static int stdout_was_closed(void) { return was_closed; }
*/
import "C"

// stdoutClosed reports whether standard output was closed when the program began, as
// by >&- of a shell. Go opens the null device in its place before any Go code runs, so
// C looks before Go does.
func stdoutClosed() bool { return C.stdout_was_closed() != 0 }

// closedIsSeen says that stdoutClosed can tell.
const closedIsSeen = true
