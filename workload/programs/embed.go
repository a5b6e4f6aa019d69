package programs

import "embed"

// Library holds the runtime library's sources, in folder runtime, and the headers that programs include,
// in folder include.
//
//go:embed runtime/*.c runtime/*.h all:include
var Library embed.FS
