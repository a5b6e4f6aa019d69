// Command cotenant simulates a GPU that several kernels share.
package main

import (
	"os"

	"cotenant/platform/cli"
)

func main() { cli.Main(os.Args[1:]) }
