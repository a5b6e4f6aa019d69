package programs

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/klauspost/compress/zstd"

	"cotenant/staging"
)

// A capture is a folder: callsFile lists the requests of a program, and dataFolder has what the program
// wrote into the device's memory, compressed, by the hash of its contents. callsFile begins with
// captureMagic; for each request follow its kind, its arguments, the blob of its payload, and the number of
// writes that the program has made since the request before, each an address, a blob, and a blob with a bit for
// each byte that has been written, or none for all. A blob is the hash of its contents, or zeroes for none.
const (
	captureMagic = "COTNCAP3"
	callsFile    = "calls.zst"
	dataFolder   = "data"
	blobSuffix   = ".zst"
)

// blob is the hash of contents; zero for none.
type blob [sha256.Size]byte

// Captured says what a capture holds.
type Captured struct {
	Emulation
	Calls, Blobs, Bytes uint64 // Bytes are those of the blobs, as they lie on the disk
}

// Capture runs a program as Emulate does and writes its calls, with their data, to a folder, which must be
// empty or not there. The folder appears whole or not at all.
func Capture(ctx context.Context, spec Spec, folder string, stderr io.Writer) (c Captured, err error) {
	out, err := staging.MakeFolder(folder)
	if err != nil {
		return c, err
	}
	defer out.Remove() // nothing is left there after the renaming
	r := &recorder{folder: out.At, shadows: map[uint64][]byte{}}
	if err := r.open(); err != nil {
		return c, staging.FolderFault(folder, err)
	}
	c.Emulation, err = emulate(ctx, spec, stderr, func(p *process) peer {
		r.peer = p
		return r
	})
	if closed := r.close(); r.fault == nil {
		r.fault = closed
	}
	c.Calls, c.Blobs, c.Bytes = r.calls, uint64(len(r.blobs)), r.bytes
	if err != nil {
		return c, err
	}
	if r.fault != nil {
		return c, staging.FolderFault(folder, r.fault)
	}
	return c, out.Commit()
}

// recorder is a peer that writes down what another asks.
type recorder struct {
	peer
	folder     string
	file       *os.File
	out        *zstd.Encoder
	compressor *zstd.Encoder
	blobs      map[blob]bool
	calls      uint64
	bytes      uint64
	fault      error
	// last is the request before, and its reply's error.
	last   request
	failed bool
	// shadows are what the memory held that the host reaches by itself, by its address, when the program
	// was given the last reply.
	shadows map[uint64][]byte
	sizes   map[uint64]uint64
}

func (r *recorder) open() (err error) {
	r.blobs, r.sizes = map[blob]bool{}, map[uint64]uint64{}
	if err := os.Mkdir(filepath.Join(r.folder, dataFolder), 0o777); err != nil {
		return err
	}
	if r.file, err = os.Create(filepath.Join(r.folder, callsFile)); err != nil {
		return err
	}
	if r.out, err = zstd.NewWriter(r.file); err != nil {
		return err
	}
	if r.compressor, err = zstd.NewWriter(nil); err != nil {
		return err
	}
	_, err = r.out.Write([]byte(captureMagic))
	return err
}

func (r *recorder) close() error {
	err := r.out.Close()
	if closed := r.file.Close(); err == nil {
		err = closed
	}
	return err
}

// request makes recorder a peer.
func (r *recorder) request(to *request) error {
	if err := r.peer.request(to); err != nil {
		return err
	}
	r.calls++
	var writes []byte
	count := uint32(0)
	add := func(addr uint64, data, mask []byte) {
		writes = binary.LittleEndian.AppendUint64(writes, addr)
		for _, part := range [][]byte{data, mask} {
			h := r.store(part)
			writes = append(writes, h[:]...)
		}
		count++
	}
	r.copied(add)
	r.changed(add)
	b := binary.LittleEndian.AppendUint16(nil, uint16(to.kind))
	for _, a := range to.args {
		b = binary.LittleEndian.AppendUint64(b, a)
	}
	h := r.store(to.payload)
	b = append(b, h[:]...)
	b = binary.LittleEndian.AppendUint32(b, count)
	r.write(append(b, writes...))
	r.last = *to
	return nil
}

func (r *recorder) write(b []byte) {
	if _, err := r.out.Write(b); err != nil && r.fault == nil {
		r.fault = err
	}
}

// at is memory at an address, which the last request has been found to have.
func (r *recorder) at(addr, size uint64) []byte { return r.device()[addr-base:][:size] }

// copied adds what the program has copied from memory of its own, after the reply of its last request.
func (r *recorder) copied(add func(addr uint64, data, mask []byte)) {
	a := &r.last.args
	if r.last.kind != copyMemory || r.failed || a[0] == 0 || a[7]&moves != 0 {
		return
	}
	to, pitch, width, height := a[0], a[1], a[4], a[5]
	if pitch == width {
		width, height = width*height, 1
	}
	for i := range height {
		add(to+i*pitch, r.at(to+i*pitch, width), nil)
	}
}

// page is the unit in which changes of memory are kept that the host reaches by itself.
const page = 4096

// changed adds what the program has written into pinned and managed memory. A kernel that has not ended in a replay
// may yet write the other bytes of a page.
func (r *recorder) changed(add func(addr uint64, data, mask []byte)) {
	for _, addr := range r.reached() {
		now, before := r.at(addr, r.sizes[addr]), r.shadows[addr]
		for from := 0; from < len(now); from += page {
			to := min(from+page, len(now))
			if !bytes.Equal(now[from:to], before[from:to]) {
				add(addr+uint64(from), now[from:to], differing(now[from:to], before[from:to]))
			}
		}
	}
}

// differing has a bit for each byte that differs; it is nil if all do.
func differing(a, b []byte) []byte {
	mask, n := make([]byte, (len(a)+7)/8), 0
	for i := range a {
		if a[i] != b[i] {
			mask[i/8] |= 1 << (i % 8)
			n++
		}
	}
	if n == len(a) {
		return nil
	}
	return mask
}

// reached lists the allocations that the host reaches by itself, in order.
func (r *recorder) reached() (list []uint64) {
	for addr := range r.sizes {
		list = append(list, addr)
	}
	slices.Sort(list)
	return list
}

// answer makes recorder a peer.
func (r *recorder) answer(k kind, to *reply) {
	r.failed = to.error != success
	a := &r.last.args
	switch {
	case r.failed:
	case k == allocate && a[2] != deviceMemory:
		r.sizes[to.values[0]] = a[0]
	case k == share:
		r.sizes[a[0]] = a[1]
	case k == free:
		delete(r.sizes, a[0])
		delete(r.shadows, a[0])
	case k == reset:
		clear(r.sizes)
		clear(r.shadows)
	}
	for addr, size := range r.sizes {
		r.shadows[addr] = append(r.shadows[addr][:0], r.at(addr, size)...)
	}
	r.peer.answer(k, to)
}

// store keeps contents once and returns their hash.
func (r *recorder) store(data []byte) blob {
	if len(data) == 0 {
		return blob{}
	}
	h := blob(sha256.Sum256(data))
	if r.blobs[h] {
		return h
	}
	r.blobs[h] = true
	small := r.compressor.EncodeAll(data, nil)
	r.bytes += uint64(len(small))
	if err := os.WriteFile(filepath.Join(r.folder, dataFolder, h.name()), small, 0o666); err != nil && r.fault == nil {
		r.fault = err
	}
	return h
}
