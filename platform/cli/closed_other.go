//go:build !cgo || !unix

package cli

// stdoutClosed reports that standard output was open when the program began: without C
// nothing shows whether it was.
func stdoutClosed() bool { return false }

// closedIsSeen says that stdoutClosed can tell.
const closedIsSeen = false
