package sweeppage

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/experiment/store"
	"cotenant/experiment/sweep"
)

// full is a store of a number of runs of two applications, each of a typical size: 100
// mixes, 20 policies and 5 GPUs of the first 10,000. It takes a while to make.
func full(b *testing.B, runs int) string {
	const identityBytes, resultBytes = 3_500, 17_800 // means of stores of CCBP's figures
	path := filepath.Join(b.TempDir(), "full.sqlite")
	s, err := store.Open(path)
	require.NoError(b, err)
	defer s.Close()
	filler := func(n int) string {
		var text strings.Builder
		for text.Len() < n {
			fmt.Fprintf(&text, `"counter_%d":%d,`, text.Len(), text.Len()*7919)
		}
		return text.String()
	}
	identity, result := filler(identityBytes), filler(resultBytes)
	for i := range runs {
		mix, policy, gpu := i%100, i/100%20, i/2000
		x := 0.3 + float64(i*7919%4000)/10_000
		require.NoError(b, s.Put(store.Entry{Key: fmt.Sprintf("%064x", i*2654435761),
			Identity: json.RawMessage(fmt.Sprintf(`{"program":"0123456789","gpu":{%s"Name":"ccbp16?sms=%d"},"policy":"policy:option=%d","apps":[{"spec":"app%d?size=medium","name":"app%d"},{"spec":"app%d?size=medium","name":"app%d"}],"cycles":2000000,"seed":1}`,
				identity, gpu+1, policy, mix/10, mix/10, 10+mix%10, 10+mix%10)),
			Result: json.RawMessage(fmt.Sprintf(`{"schema":2,"config_hash":"%016x",%s"stp":%v,"antt":%v,"fairness":%v,"hspeedup":%v,"kernels":[{"ipc":%v,"normalized_ipc":%v},{"ipc":%v,"normalized_ipc":%v}]}`,
				i, result, 2*x, 1/x, x/(1-x), x, 100*x, x, 50*x, 1-x))}))
	}
	return path
}

// BenchmarkReport is the page of a store of 10,000 runs: reading, checking, writing.
func BenchmarkReport(b *testing.B) {
	path := full(b, 10_000)
	b.ReportAllocs()
	for b.Loop() {
		s, err := store.OpenToRead(path)
		require.NoError(b, err)
		runs, faults, err := sweep.Read(b.Context(), s, func(string) bool { return false })
		require.NoError(b, err)
		require.Empty(b, faults)
		require.Len(b, runs, 10_000)
		var n count
		require.NoError(b, Write(io.MultiWriter(&n), &Report{Title: "10,000 runs", Points: Points(runs, nil)}))
		b.ReportMetric(float64(n), "page-B")
		require.NoError(b, s.Close())
	}
}

// count counts bytes.
type count int

// Write implements io.Writer.
func (c *count) Write(p []byte) (int, error) {
	*c += count(len(p))
	return len(p), nil
}
