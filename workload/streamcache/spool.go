package streamcache

import (
	"cotenant/staging"

	"github.com/klauspost/compress/zstd"
)

// spool keeps the thread blocks of a launch, which finish in any order, until
// all have: compressed, in memory while they are few and in a temporary file
// then.
type spool struct {
	store  *Store
	spans  []span // by thread block, up to the last that has finished
	recent []byte // behind what is in the file
	file   *staging.NewFile
	inFile int64
	bytes  int64 // altogether, of this launch

	encoder *zstd.Encoder
	decoder *zstd.Decoder
	packed  []byte
	plain   []byte
}

// span is where a thread block is.
type span struct {
	at     int64
	length int32
}

// spoolMemory is the size of what is kept in memory.
const spoolMemory = 4 << 20

// begin starts a launch.
func (s *spool) begin() {
	s.spans = s.spans[:0]
	s.recent, s.inFile, s.bytes = s.recent[:0], 0, 0
}

// put keeps a thread block.
func (s *spool) put(id int, tb []byte) (err error) {
	if s.encoder == nil {
		if s.encoder, err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(false)); err != nil {
			return err
		}
	}
	s.packed = s.encoder.EncodeAll(tb, s.packed[:0])
	// A grid may have more thread blocks than will ever run.
	for len(s.spans) <= id {
		s.spans = append(s.spans, span{})
	}
	s.spans[id] = span{s.bytes, int32(len(s.packed))}
	s.bytes += int64(len(s.packed))
	s.recent = append(s.recent, s.packed...)
	if len(s.recent) < spoolMemory {
		return nil
	}
	if s.file == nil {
		if s.file, err = s.store.temporary(); err != nil {
			return err
		}
	}
	_, err = s.file.WriteAt(s.recent, s.inFile)
	s.inFile += int64(len(s.recent))
	s.recent = s.recent[:0]
	return err
}

// each calls do with the thread blocks, which have all finished, in their order.
func (s *spool) each(do func(tb []byte) error) (err error) {
	if s.decoder == nil {
		if s.decoder, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1)); err != nil {
			return err
		}
	}
	for _, p := range s.spans {
		var from []byte
		if p.at >= s.inFile {
			from = s.recent[p.at-s.inFile:][:p.length]
		} else {
			if int(p.length) > cap(s.packed) {
				s.packed = make([]byte, p.length)
			}
			from = s.packed[:p.length]
			if _, err := s.file.ReadAt(from, p.at); err != nil {
				return err
			}
		}
		if s.plain, err = s.decoder.DecodeAll(from, s.plain[:0]); err != nil {
			return err
		}
		if err := do(s.plain); err != nil {
			return err
		}
	}
	return nil
}

// close removes the temporary file.
func (s *spool) close() {
	if s.file != nil {
		s.file.Discard()
		s.file = nil
	}
	if s.decoder != nil {
		s.decoder.Close()
		s.decoder = nil
	}
	s.spans, s.recent = nil, nil
}
