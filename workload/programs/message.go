package programs

import (
	"encoding/binary"
	"fmt"
	"io"
)

// version is the protocol's, as in runtime/protocol.h.
const version = 5

// kind says what a request asks for. runtime/protocol.h has the same names and describes arguments and
// values.
type kind uint16

// The kinds of requests.
const (
	hello kind = 1 + iota
	moduleLoad
	functionFind
	symbolFind
	deviceDescribe
	allocate
	free
	memoryInfo
	find
	copyMemory
	fill
	launchKernel
	streamCreate
	streamDestroy
	streamSynchronize
	streamQuery
	streamWait
	eventCreate
	eventDestroy
	eventRecord
	eventSynchronize
	eventQuery
	eventElapsed
	textureCreate
	textureDestroy
	textureBind
	reset
	share
	streamPriority
	openWindow
	setAside
	release
	numKinds
)

// names are the kinds as protocol.h has them.
var names = [numKinds]string{
	hello: "HELLO", moduleLoad: "MODULE", functionFind: "FUNCTION", symbolFind: "SYMBOL", deviceDescribe: "DEVICE",
	allocate: "ALLOCATE", free: "FREE", memoryInfo: "MEMORY_INFO", find: "FIND", copyMemory: "COPY", fill: "FILL",
	launchKernel: "LAUNCH", streamCreate: "STREAM_CREATE", streamDestroy: "STREAM_DESTROY",
	streamSynchronize: "STREAM_SYNCHRONIZE", streamQuery: "STREAM_QUERY", streamWait: "STREAM_WAIT",
	eventCreate: "EVENT_CREATE", eventDestroy: "EVENT_DESTROY", eventRecord: "EVENT_RECORD",
	eventSynchronize: "EVENT_SYNCHRONIZE", eventQuery: "EVENT_QUERY", eventElapsed: "EVENT_ELAPSED",
	textureCreate: "TEXTURE_CREATE", textureDestroy: "TEXTURE_DESTROY", textureBind: "TEXTURE_BIND", reset: "RESET", share: "SHARE",
	streamPriority: "STREAM_PRIORITY", openWindow: "WINDOW", setAside: "SET_ASIDE", release: "RELEASE",
}

// String is the kind's name.
func (k kind) String() string {
	if k > 0 && k < numKinds {
		return names[k]
	}
	return fmt.Sprintf("kind %d", uint16(k))
}

// Kinds of memory.
const (
	deviceMemory = 1 + iota
	hostMemory
	managedMemory
)

// Flags of a copy.
const (
	fromHost = 1 << iota
	toHost
	moves // the simulator moves the bytes, when the copy's turn has come
	waits // the program waits for the copy
)

// Flags of a launch: it waits for another command of its graph; the first bit of the number of its window,
// of up to maxWindows; the first bit of the size of its clusters, of 16 bits along each side.
const (
	inGraph      = 2
	windowShift  = 2
	maxWindows   = 0x3fff
	clusterShift = 16
)

// allStreams is the argument of streamSynchronize that means the device.
const allStreams = ^uint64(0)

// Sizes of the heads of requests and replies, and the largest payload: PTX of 64 MiB.
const (
	requestBytes = 8 + 8*8
	replyBytes   = 16 + 8*8
	maxPayload   = 64 << 20
)

// request is a call of the program.
type request struct {
	kind    kind
	args    [8]uint64
	payload []byte
	// queued says that the program waits for no reply.
	queued bool
}

// reply answers it.
type reply struct {
	error   cudaError
	values  [8]uint64
	payload []byte
}

// readRequest reads a request. io.EOF means that the program has ended; any other error that what came
// is no request.
func readRequest(r io.Reader, to *request) error {
	var head [requestBytes]byte
	if n, err := io.ReadFull(r, head[:]); err != nil {
		if n > 0 && err == io.ErrUnexpectedEOF {
			return shortHead(n)
		}
		return err
	}
	size, err := parseHead(head[:], to)
	if err != nil {
		return err
	}
	to.payload = make([]byte, size)
	if _, err := io.ReadFull(r, to.payload); err != nil {
		return shortPayload(to.kind, size)
	}
	return nil
}

// takeRequest is readRequest of bytes that have come; the payload is a part of them. It returns the rest.
func takeRequest(b []byte, to *request) ([]byte, error) {
	if len(b) < requestBytes {
		return nil, shortHead(len(b))
	}
	size, err := parseHead(b, to)
	b = b[requestBytes:]
	if err == nil && size > len(b) {
		err = shortPayload(to.kind, size)
	}
	if err != nil {
		return nil, err
	}
	to.payload = b[:size:size]
	return b[size:], nil
}

func shortHead(n int) error {
	return fmt.Errorf("a request ends after %d bytes; valid: %d and its payload", n, requestBytes)
}

func shortPayload(k kind, size int) error {
	return fmt.Errorf("a request %v ends before its payload of %d bytes", k, size)
}

// parseHead reads the head of a request and returns the size of its payload.
func parseHead(head []byte, to *request) (int, error) {
	if v := binary.LittleEndian.Uint16(head[:]); v != version {
		return 0, fmt.Errorf("a request has version %d; valid: %d, of a program that this build of cotenant has compiled", v, version)
	}
	to.kind = kind(binary.LittleEndian.Uint16(head[2:]))
	if to.kind == 0 || to.kind >= numKinds {
		return 0, fmt.Errorf("a request is of %v; valid: 1 to %d", to.kind, numKinds-1)
	}
	size := binary.LittleEndian.Uint32(head[4:])
	if size > maxPayload {
		return 0, fmt.Errorf("a request %v has a payload of %d bytes; valid: up to %d", to.kind, size, maxPayload)
	}
	for i := range to.args {
		to.args[i] = binary.LittleEndian.Uint64(head[8+8*i:])
	}
	return int(size), nil
}

// writeReply answers a request of a kind.
func writeReply(w io.Writer, k kind, r *reply) error {
	b := make([]byte, 0, replyBytes+len(r.payload))
	b = binary.LittleEndian.AppendUint16(b, version)
	b = binary.LittleEndian.AppendUint16(b, uint16(k))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(r.payload)))
	b = binary.LittleEndian.AppendUint32(b, uint32(r.error))
	b = binary.LittleEndian.AppendUint32(b, 0)
	for _, v := range r.values {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	_, err := w.Write(append(b, r.payload...))
	return err
}
