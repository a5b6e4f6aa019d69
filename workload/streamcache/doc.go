// Package streamcache keeps on disk what applications of emulated kernels
// execute, so that they need not be emulated again: a simulation that replays
// gives the same results as one that emulates.
//
//	Store      a folder of recorded applications
//	Key        what a recording is found by
//	recording  writes an application while a timing run executes it
//	recorded   replays it, without emulator or arrays
//
// What an application executes must not depend on the order in which its warps
// run, or a replay under another policy would be wrong. Its host program finds
// that out while it is recorded (Watcher); the answer "it does" is kept, too.
//
// # Files
//
// A recording is one file, KEY.streams:
//
//	magic with the version
//	for each launch a zstd frame: its thread blocks in order (packed/transfer.go)
//	a zstd frame with the index, in encoding/gob
//	position and length of the index, CRC-32C of it and of these two, magic
//
// The index has KEY and a CRC-32C of each 64 KiB of what is before it. All of
// them are looked at before a file is used, so that its name is not trusted, and
// those of the pieces again as the pieces are read. A file is written under a
// temporary name, and renamed when the application has run to its end. So any
// number of processes may share a folder, and one that is killed leaves nothing
// that is taken for whole, and what the next one removes (staging.Clear).
package streamcache
