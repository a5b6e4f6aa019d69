package latency

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBucketsFollowOneAnother(t *testing.T) {
	for v := range uint64(100_000) {
		b := Bucket(v)
		require.LessOrEqual(t, From(b), v)
		require.Less(t, v, From(b+1))
		require.LessOrEqual(t, From(b+1)-From(b), max(1, From(b)/4), "a bucket is at most a fourth of its times")
	}
	require.Equal(t, Buckets-1, Bucket(1<<63))
}

func TestQuantilesAreWithinABucket(t *testing.T) {
	r := &Recorder{Core: 2}
	for v := 1; v <= 1000; v++ {
		r.Add(Reply, 1, 2*200) // 200 cycles
	}
	r.Add(Reply, 1, 2*5000)
	h := r.Of(1, Reply)
	require.Equal(t, []uint64{1001, 205_000, 5000}, []uint64{h.Count, h.Sum, h.Max})
	require.Equal(t, []uint64{223, 223, 5000}, []uint64{h.Quantile(0.5), h.Quantile(0.99), h.Quantile(1)})
	require.Zero(t, r.Of(0, Reply).Quantile(0.5))
	r.Reset()
	require.Zero(t, r.Of(1, Reply).Count)
}
