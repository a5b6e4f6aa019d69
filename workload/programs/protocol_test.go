package programs

import (
	"bytes"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The runtime library is in C and has the protocol's numbers in a header of its own.
func TestBothSidesHaveTheSameProtocol(t *testing.T) {
	text, err := Library.ReadFile("runtime/protocol.h")
	require.NoError(t, err)
	header := string(text)
	require.Contains(t, header, "#define COTENANT_VERSION 5\n")
	require.Equal(t, 5, version)
	_, rest, ok := strings.Cut(header, "enum {\n")
	require.True(t, ok)
	kinds, rest, ok := strings.Cut(rest, "};")
	require.True(t, ok)
	var theirs []string
	for _, m := range regexp.MustCompile(`(?m)^ *COTENANT_(\w+)`).FindAllStringSubmatch(kinds, -1) {
		theirs = append(theirs, m[1])
	}
	require.Equal(t, names[1:], theirs)
	require.Contains(t, kinds, "COTENANT_HELLO = 1,")
	require.Contains(t, rest, "enum { COTENANT_DEVICE_MEMORY = 1, COTENANT_HOST_MEMORY, COTENANT_MANAGED_MEMORY };")
	require.Equal(t, []int{1, 2, 3}, []int{deviceMemory, hostMemory, managedMemory})
	require.Contains(t, rest, "enum { COTENANT_FROM_HOST = 1, COTENANT_TO_HOST = 2, COTENANT_MOVES = 4, COTENANT_WAITS = 8 };")
	require.Equal(t, []int{1, 2, 4, 8}, []int{fromHost, toHost, moves, waits})
	require.Contains(t, rest, "enum { COTENANT_COOPERATIVE = 1, COTENANT_IN_GRAPH = 2, COTENANT_OF_WINDOW = 2, COTENANT_CLUSTER = 16 };")
	require.Contains(t, rest, "#define COTENANT_WINDOWS 0x3fff")
	require.Equal(t, []int{2, 2, 16, 0x3fff}, []int{inGraph, windowShift, clusterShift, maxWindows})
	for k := hello; k < numKinds; k++ {
		require.NotNil(t, handlers[k], k)
	}
}

// Programs find every function of the driver API by its name.
func TestEveryFunctionOfTheDriverIsFound(t *testing.T) {
	header, err := Library.ReadFile("include/cuda.h")
	require.NoError(t, err)
	entries, err := Library.ReadFile("runtime/entries.c")
	require.NoError(t, err)
	functions := regexp.MustCompile(`(?m)^CUresult (cu\w+)\(`).FindAllStringSubmatch(string(header), -1)
	require.NotEmpty(t, functions)
	for _, f := range functions {
		require.Contains(t, string(entries), "X("+f[1]+")")
	}
}

// Whatever bytes come, reading ends with a request or an error, and takes no more memory than a payload.
func TestAnyBytesAreARequestOrAnError(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.SliceOfN(rapid.Byte(), 0, 200).Draw(t, "bytes")
		if len(b) > 8 && rapid.Bool().Draw(t, "head") {
			copy(b, []byte{version, 0, byte(rapid.IntRange(1, int(numKinds)).Draw(t, "kind")), 0, byte(rapid.IntRange(0, 100).Draw(t, "size")), 0, 0, 0})
		}
		var r request
		err := readRequest(bytes.NewReader(b), &r)
		switch {
		case len(b) == 0:
			require.Equal(t, io.EOF, err)
		case err == nil:
			require.GreaterOrEqual(t, len(b), requestBytes+len(r.payload))
			require.True(t, r.kind > 0 && r.kind < numKinds)
		}
	})
}

func TestRequestsThatAreNoneSayWhatIsWrong(t *testing.T) {
	head := func(b ...byte) []byte { return append(b, make([]byte, requestBytes-len(b))...) }
	for want, b := range map[string][]byte{
		"a request has version 7; valid: 5, of a program that this build of cotenant has compiled": head(7, 0, 1, 0),
		"a request is of kind 99; valid: 1 to 32":                                                  head(5, 0, 99, 0),
		"a request MODULE has a payload of 4278190080 bytes; valid: up to 67108864":                head(5, 0, 2, 0, 0, 0, 0, 255),
		"a request MODULE ends before its payload of 9 bytes":                                      head(5, 0, 2, 0, 9),
		"a request ends after 3 bytes; valid: 72 and its payload":                                  {3, 0, 1},
	} {
		var r request
		require.EqualError(t, readRequest(bytes.NewReader(b), &r), want)
	}
}
