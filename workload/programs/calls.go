package programs

import (
	"encoding/binary"

	"cotenant/workload"
	ptxexec "cotenant/workload/ptx/exec"
)

// handler carries out a request: it fills in the Session's reply, or returns an operation after which the
// reply goes out. An error ends the run.
type handler func(*Session, *request) (*workload.Op, error)

// handlers are the calls, by kind.
var handlers = [numKinds]handler{
	hello:             (*Session).hello,
	moduleLoad:        (*Session).loadModule,
	functionFind:      (*Session).findFunction,
	symbolFind:        (*Session).findSymbol,
	deviceDescribe:    (*Session).describe,
	allocate:          (*Session).allocate,
	free:              (*Session).free,
	memoryInfo:        (*Session).memoryInfo,
	find:              (*Session).find,
	copyMemory:        (*Session).copy,
	fill:              (*Session).fill,
	launchKernel:      (*Session).launch,
	streamCreate:      (*Session).createStream,
	streamDestroy:     (*Session).destroyStream,
	streamSynchronize: (*Session).synchronizeStream,
	streamQuery:       (*Session).queryStream,
	streamWait:        (*Session).waitInStream,
	eventCreate:       (*Session).createEvent,
	eventDestroy:      (*Session).destroyEvent,
	eventRecord:       (*Session).recordEvent,
	eventSynchronize:  (*Session).synchronizeEvent,
	eventQuery:        (*Session).queryEvent,
	eventElapsed:      (*Session).elapsed,
	textureCreate:     (*Session).createTexture,
	textureDestroy:    (*Session).destroyTexture,
	textureBind:       (*Session).bindTexture,
	reset:             (*Session).reset,
	share:             (*Session).share,
	streamPriority:    (*Session).tellPriority,
	openWindow:        (*Session).openWindow,
	setAside:          (*Session).setAside,
	release:           (*Session).release,
}

// refuse answers with an error of CUDA.
func (s *Session) refuse(e cudaError) (*workload.Op, error) {
	s.reply.error = e
	return nil, nil
}

// give answers with values.
func (s *Session) give(values ...uint64) (*workload.Op, error) {
	copy(s.reply.values[:], values)
	return nil, nil
}

// hello begins the connection.
func (s *Session) hello(*request) (*workload.Op, error) {
	ahead := uint64(0)
	if s.ahead {
		ahead = queueBytes
	}
	return s.give(ptxexec.Base(), uint64(len(s.peer.device())), ahead)
}

// describe tells of the device.
func (s *Session) describe(*request) (*workload.Op, error) {
	d := &s.spec.Device
	var b []byte
	for _, v := range []int{d.SMs, d.ClockKHz, d.MemoryClockKHz, d.BusBits, d.L2Bytes, d.SharedPerBlock, d.SharedPerSM,
		d.RegistersPerSM, d.ThreadsPerBlock, d.ThreadsPerSM, d.BlocksPerSM, d.Grid[0], d.Grid[1], d.Grid[2], d.Block[0],
		d.Block[1], d.Block[2], d.Major, d.Minor, d.memoryBytes(), constBytes, d.CopyEngines, d.SharedPerBlockOptin, d.PersistingBytes} {
		b = binary.LittleEndian.AppendUint64(b, uint64(v))
	}
	s.reply.payload = append(b, d.Name...)
	return nil, nil
}

// share takes note of a managed variable: the program maps it itself, and a recording finds what it writes.
func (s *Session) share(r *request) (*workload.Op, error) {
	if _, err := s.memory.Bytes(r.args[0], int(min(r.args[1], s.memoryBytes()))); err != nil {
		return s.refuse(invalidValue)
	}
	if s.managed == nil {
		s.managed = map[uint64]bool{}
	}
	s.managed[r.args[0]] = true
	return nil, nil
}

// constBytes is the size of constant memory (CUDA C++ Programming Guide, technical specifications).
const constBytes = 64 << 10

// reset waits for all commands and frees all memory. Modules are loaded anew into the empty memory.
func (s *Session) reset(*request) (*workload.Op, error) {
	s.finally = func(*reply) {
		clear(s.peer.device()[:s.memory.Used()])
		s.forget()
		for _, m := range s.modules {
			if m.code != nil {
				s.memory.Load(m.module)
			}
		}
	}
	return &workload.Op{Sync: true}, nil
}
