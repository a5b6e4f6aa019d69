package traceg

import (
	"strings"
	"testing"
	"time"

	"cotenant/workload"

	"github.com/stretchr/testify/require"
)

// The parser waits once it has thread blocks of aheadBytes that the model has not asked
// for, however long the trace is.
func TestParsingAheadIsBounded(t *testing.T) {
	for _, c := range bodies {
		tbs := 150
		if c.name == "scattered" {
			tbs = 20 // of 500 KB each
		}
		l, err := openText(text(tbs, c.body))
		require.NoError(t, err)
		var tb workload.TB
		for n := range 5 {
			require.NoError(t, l.Next(&tb))
			require.Equal(t, n, tb.ID)
			l.Recycle(&tb)
			require.Eventually(t, func() bool {
				l.mu.Lock()
				defer l.mu.Unlock()
				return l.bytes >= aheadBytes/2
			}, 10*time.Second, time.Millisecond)
			l.mu.Lock()
			bytes := 0
			for i, p := range l.ready {
				require.Less(t, bytes, aheadBytes, "%s: with thread block %d", c.name, i)
				bytes += p.block.Memory()
			}
			require.Equal(t, l.bytes, bytes)
			require.Less(t, len(l.ready), tbs/2)
			l.mu.Unlock()
		}
		require.NoError(t, l.Close(), c.name)
	}
}

// A fault is reported with the thread block that has it, not when it is found, and with
// its own line, however far the parser has read.
func TestFaultAheadWaitsForItsThreadBlock(t *testing.T) {
	whole := text(20, mixed)
	at := strings.LastIndex(whole, "thread block = 15,0,0")
	line := 1 + strings.Count(whole[:at], "\n")
	l, err := openText(whole[:at] + "thread block = 14,0,0" + whole[at+len("thread block = 15,0,0"):])
	require.NoError(t, err)
	var tb workload.TB
	for n := range 15 {
		require.NoError(t, l.Next(&tb))
		require.Equal(t, n, tb.ID)
	}
	<-l.ended
	for range 2 {
		err := l.Next(&tb)
		require.ErrorContains(t, err, `thread block "14,0,0" is in the trace twice`)
		var input *workload.InputError
		require.ErrorAs(t, err, &input)
		require.Equal(t, line, input.Line)
	}
	require.NoError(t, l.Close())
}

// TestThreadBlocksParsedAheadAreTheSame reads with a model that is slower and faster than the
// parser; each thread block brings instructions that the table did not have.
func TestThreadBlocksParsedAheadAreTheSame(t *testing.T) {
	const tbs = 40
	whole := strings.ReplaceAll(text(tbs, mixed), "FADD", "FMUL")
	for n := range tbs {
		whole = strings.Replace(whole, "FMUL", "FADD.X"+strings.Repeat("Y", n), 3)
	}
	read := func(pause time.Duration) (all []executed) {
		l, err := openText(whole)
		require.NoError(t, err)
		var blocks [3]workload.TB
		for n := range tbs {
			tb := &blocks[n%3]
			l.Recycle(tb)
			require.NoError(t, l.Next(tb))
			all = append(all, drain(tb)...)
			time.Sleep(pause)
		}
		require.NoError(t, l.Close())
		return all
	}
	l, err := openText(whole)
	require.NoError(t, err)
	var want []executed
	for n := range tbs {
		b, err := l.parse(n)
		require.NoError(t, err)
		var tb workload.TB
		b.Hand(&tb, n)
		want = append(want, drain(&tb)...)
	}
	require.Equal(t, want, read(0))
	require.Equal(t, want, read(time.Millisecond))
}

func TestLaunchThatIsCutOffEndsItsParser(t *testing.T) {
	whole := text(10, scattered)
	for read := range 4 {
		l, err := openText(whole)
		require.NoError(t, err)
		var tb workload.TB
		for range read {
			require.NoError(t, l.Next(&tb))
		}
		require.NoError(t, l.Close())
		if read == 0 {
			require.Nil(t, l.ended, "it has not begun")
			continue
		}
		select {
		case <-l.ended:
		default:
			require.Fail(t, "the parser goes on")
		}
	}
}

func TestPanicOfTheParserIsTheModels(t *testing.T) {
	l, err := openText(twoTBs)
	require.NoError(t, err)
	l.seen = nil // which the first thread block needs
	var tb workload.TB
	require.PanicsWithError(t, "runtime error: index out of range [0] with length 0", func() { _ = l.Next(&tb) })
	require.NoError(t, l.Close())
}
