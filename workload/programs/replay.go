package programs

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/sys/unix"

	"cotenant/workload"
	"cotenant/workload/emulated"
	"cotenant/workload/ptx"
	ptxexec "cotenant/workload/ptx/exec"
	"cotenant/workload/ptx/sass"
)

// base is the first address of the device's memory.
var base = ptxexec.Base()

// name is the file of a blob.
func (b blob) name() string { return hex.EncodeToString(b[:]) + blobSuffix }

// recording is a capture that has been read. Its blobs are read when a run needs them first.
type recording struct {
	folder string
	calls  []call
	mu     sync.Mutex
	blobs  map[blob][]byte
}

// call is a request of a capture, and what the program wrote before.
type call struct {
	kind    kind
	args    [8]uint64
	payload blob
	writes  []memoryWrite
}

type memoryWrite struct {
	addr       uint64
	data, mask blob
}

// maxBlob bounds the contents of a blob.
const maxBlob = 16 << 30

// CaptureApp is a capture as an application. spec.Program is its folder, and the fields for the device and for
// what is looked for hold, too; target and rules are as for App. An error names the file at fault.
func CaptureApp(spec Spec, target workload.Target, rules sass.Options) (*workload.App, error) {
	folder := spec.Program
	r, err := readCapture(folder)
	if err != nil {
		return nil, err
	}
	app := &workload.App{Name: filepath.Base(folder), Files: r.files()}
	var separate []ptx.File
	for i := range r.calls {
		c := &r.calls[i]
		if c.kind != moduleLoad {
			continue
		}
		text, err := r.read(c.payload)
		if err != nil {
			return nil, err
		}
		name, linked := sourceName(text)
		if separate = append(separate, ptx.File{Path: name + ".ptx", Text: text}); linked {
			continue
		}
		last := len(separate) - 1
		if app.KernelNames, err = appendKernels(app.KernelNames, separate[last]); err != nil {
			return nil, err
		}
		separate = separate[:last]
	}
	if len(separate) > 0 {
		if app.KernelNames, err = appendKernels(app.KernelNames, separate...); err != nil {
			return nil, err
		}
	}
	if len(app.KernelNames) == 0 {
		return nil, workload.Errorf(filepath.Join(folder, callsFile), 0, "launches no kernel; valid: a capture of a program that does")
	}
	runs := &sequence{}
	app.Host = func() (workload.Host, error) {
		memory, err := unix.Mmap(-1, 0, max(spec.Device.memoryBytes(), Emulator.memoryBytes()), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
		if err != nil {
			return nil, fmt.Errorf("%s: no memory for the device: %w", folder, err)
		}
		s := newSession(spec, &replay{recording: r, memory: memory}, emulated.NewMachine(target, rules))
		if s.tell = app.Tell; s.check != nil || spec.MemoryLimit > 0 { // a fault is told once for all runs
			s.follower = runs.follow()
		}
		return s, nil
	}
	return app, nil
}

// readCapture reads the calls of a capture.
func readCapture(folder string) (*recording, error) {
	file := filepath.Join(folder, callsFile)
	fault := func(format string, args ...any) error { return workload.Errorf(file, 0, format, args...) }
	small, err := os.ReadFile(file)
	if err != nil {
		return nil, fault("cannot be read: %v; valid: the folder of a capture", workload.WithoutPath(err))
	}
	text, err := decompress(small)
	switch {
	case err == nil && bytes.HasPrefix(text, []byte(captureMagic)):
	case err == nil && bytes.HasPrefix(text, []byte(captureMagic[:len(captureMagic)-1])):
		return nil, fault("is of another version of cotenant; capture the program again")
	default:
		return nil, fault("is no list of calls; valid: a file of `cotenant trace capture`")
	}
	r := &recording{folder: folder, blobs: map[blob][]byte{}}
	const head, writeBytes = 2 + 8*8 + sha256.Size + 4, 8 + 2*sha256.Size
	for rest := text[len(captureMagic):]; len(rest) > 0; {
		if len(rest) < head {
			return nil, fault("call %d is cut off", len(r.calls))
		}
		c := call{kind: kind(binary.LittleEndian.Uint16(rest)), payload: blob(rest[66:])}
		for i := range c.args {
			c.args[i] = binary.LittleEndian.Uint64(rest[2+8*i:])
		}
		writes := uint64(binary.LittleEndian.Uint32(rest[98:]))
		rest = rest[head:]
		if c.kind == 0 || c.kind >= numKinds || writes*writeBytes > uint64(len(rest)) {
			return nil, fault("call %d is of %v with %d writes, of which %d bytes are there", len(r.calls), c.kind, writes, len(rest))
		}
		for range writes {
			c.writes = append(c.writes, memoryWrite{binary.LittleEndian.Uint64(rest), blob(rest[8:]), blob(rest[8+sha256.Size:])})
			rest = rest[writeBytes:]
		}
		r.calls = append(r.calls, c)
	}
	return r, nil
}

var unpacker = sync.OnceValue(func() *zstd.Decoder {
	d, _ := zstd.NewReader(nil, zstd.WithDecoderMaxMemory(maxBlob)) // whose options are valid
	return d
})

func decompress(small []byte) ([]byte, error) { return unpacker().DecodeAll(small, nil) }

// files lists the files of a capture.
func (r *recording) files() []string {
	known := map[blob]bool{}
	for _, c := range r.calls {
		known[c.payload] = true
		for _, w := range c.writes {
			known[w.data], known[w.mask] = true, true
		}
	}
	delete(known, blob{})
	list := []string{filepath.Join(r.folder, callsFile)}
	for b := range known {
		list = append(list, filepath.Join(r.folder, dataFolder, b.name()))
	}
	slices.Sort(list)
	return list
}

// read returns the contents of a blob.
func (r *recording) read(b blob) ([]byte, error) {
	if b == (blob{}) {
		return nil, nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if data := r.blobs[b]; data != nil {
		return data, nil
	}
	file := filepath.Join(r.folder, dataFolder, b.name())
	small, err := os.ReadFile(file)
	if err != nil {
		return nil, workload.Errorf(file, 0, "cannot be read: %v", workload.WithoutPath(err))
	}
	data, err := decompress(small)
	if err != nil || sha256.Sum256(data) != b {
		return nil, workload.Errorf(file, 0, "has not the contents that its name tells; capture the program again")
	}
	r.blobs[b] = data
	return data, nil
}

// replay makes the requests of a capture again.
type replay struct {
	*recording
	memory []byte
	next   int
}

// request makes replay a peer.
func (p *replay) request(r *request) (err error) {
	if p.next == len(p.calls) {
		return io.EOF
	}
	c := &p.calls[p.next]
	p.next++
	for _, w := range c.writes {
		if err := p.write(w); err != nil {
			return err
		}
	}
	r.kind, r.args = c.kind, c.args
	r.payload, err = p.read(c.payload)
	return err
}

// write does what the program has written.
func (p *replay) write(w memoryWrite) error {
	data, err := p.read(w.data)
	if err != nil {
		return err
	}
	mask, err := p.read(w.mask)
	if err != nil {
		return err
	}
	at := w.addr - base
	if at > uint64(len(p.memory)) || uint64(len(data)) > uint64(len(p.memory))-at || mask != nil && len(mask) != (len(data)+7)/8 {
		return errors.New("a write of a call lies outside memory; capture the program again")
	}
	if mask == nil {
		copy(p.memory[at:], data)
	}
	for i := range mask {
		for m := mask[i]; m != 0; m &= m - 1 {
			if k := 8*i + bits.TrailingZeros8(m); k < len(data) {
				p.memory[at+uint64(k)] = data[k]
			}
		}
	}
	return nil
}

func (p *replay) answer(kind, *reply) {}

func (p *replay) print(string) {}

// computed makes replay a peer: a recording computes nothing.
func (p *replay) computed() time.Duration { return 0 }

func (p *replay) device() []byte { return p.memory }

func (p *replay) ended() error { return nil }

func (p *replay) stop() string { return "" }

// Close makes replay a peer.
func (p *replay) Close() error {
	if p.memory == nil {
		return nil
	}
	memory := p.memory
	p.memory = nil
	return unix.Munmap(memory)
}
