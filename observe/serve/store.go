package serve

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"cotenant/experiment/store"
	"cotenant/experiment/sweep"
	"cotenant/observe/sweeppage"
	"cotenant/workload"
)

// liveStore caches a store to which other processes may write.
type liveStore struct {
	name, path string

	mu      sync.Mutex
	seen    os.FileInfo // the file when it was read last; nil before
	at      time.Time   // when that was
	runs    []*sweep.Known
	keys    map[string]bool // of runs that can be shown, and of faulty runs
	faults  []sweep.Fault
	sweeps  []store.Sweep
	tried   map[string]*store.Attempt // by the command of the sweep
	problem string                    // why it cannot be read; "" if it can
	version int                       // grows with each change of what is shown

	summed int // the version of about and means, which take a moment to compute
	about  string
	means  []mean
}

// settled is the age from which a file's time identifies its content: two writes at one
// tick of the file system's clock look like one.
const settled = 2 * time.Second

// refresh reads news since the last time.
func (l *liveStore) refresh(ctx context.Context) {
	info, err := os.Stat(l.path)
	if err != nil {
		if l.seen != nil || l.problem == "" {
			l.forget()
			l.problem = "there is no such store yet"
		}
		return
	}
	if l.seen != nil && !os.SameFile(info, l.seen) {
		l.forget()
	}
	if l.seen != nil && l.seen.Size() == info.Size() && l.seen.ModTime().Equal(info.ModTime()) && l.at.Sub(info.ModTime()) > settled {
		return
	}
	now := time.Now()
	if err := l.read(ctx); err != nil {
		if text := err.Error(); ctx.Err() == nil && text != l.problem {
			l.problem = text
			l.version++
		}
		return
	}
	l.seen, l.at = info, now
	if l.problem != "" {
		l.problem = ""
		l.version++
	}
}

// forget drops the content of a file that has gone.
func (l *liveStore) forget() {
	l.seen, l.runs, l.keys, l.faults, l.sweeps, l.tried = nil, nil, nil, nil, nil, nil
	l.version++
}

func (l *liveStore) read(ctx context.Context) error {
	s, err := store.OpenToRead(l.path)
	if err != nil {
		return err
	}
	defer s.Close()
	sweeps, err := s.Sweeps()
	if err != nil {
		return err
	}
	tried, err := s.Attempts(ctx)
	if err != nil {
		return err
	}
	fresh, faults, err := sweep.Read(ctx, s, func(key string) bool { return l.keys[key] })
	if err != nil {
		return err
	}
	if len(fresh) > 0 || len(faults) > 0 || len(sweeps) != len(l.sweeps) || len(sweeps) > 0 && !sweeps[0].Began.Equal(l.sweeps[0].Began) {
		l.version++
	}
	if l.keys == nil {
		l.keys = map[string]bool{}
	}
	for _, k := range fresh {
		l.keys[k.Key] = true
	}
	for _, f := range faults {
		l.keys[f.Key] = true
	}
	l.runs, l.faults, l.sweeps, l.tried = append(l.runs, fresh...), append(l.faults, faults...), sweeps, tried
	// The order of a single reading, so that equal stores have equal pages.
	slices.SortFunc(l.runs, func(a, b *sweep.Known) int { return strings.Compare(a.Key, b.Key) })
	return nil
}

// storeState is a store's entry in the list of stores.
type storeState struct {
	Name    string       `json:"name"`
	Version int          `json:"version"`
	Problem string       `json:"problem"`
	Runs    int          `json:"runs"`
	About   string       `json:"about"`   // counts of the runs of several applications; "" without any
	Written int64        `json:"written"` // seconds since the last write; negative if there was none
	Sweeps  []sweepState `json:"sweeps"`
	Means   []mean       `json:"means"` // of the policies with the most runs
}

// mean holds a policy's means so far, on one GPU and in one setting.
type mean struct {
	Policy   string `json:"policy"`
	GPU      string `json:"gpu"`
	Setting  string `json:"setting,omitempty"` // but for the seed; "" if the runs share it
	Runs     int    `json:"runs"`
	STP      string `json:"stp"`
	ANTT     string `json:"antt"`
	Fairness string `json:"fairness"`
}

// mostMeans bounds the policies in the list of stores.
const mostMeans = 8

// state reads news and returns the store's entry.
func (l *liveStore) state(ctx context.Context) storeState {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refresh(ctx)
	if l.summed != l.version || l.means == nil {
		points := sweeppage.Points(l.runs, nil)
		if l.summed, l.about, l.means = l.version, "", means(points); len(points) > 0 {
			l.about = sweeppage.Count(points)
		}
	}
	s := storeState{Name: l.name, Version: l.version, Problem: l.problem, Runs: len(l.runs), About: l.about, Written: -1, Sweeps: []sweepState{}, Means: l.means}
	if l.seen != nil {
		s.Written = int64(max(0, time.Since(l.seen.ModTime())).Seconds())
	}
	for _, w := range l.sweeps {
		done := 0
		for _, key := range w.Keys {
			if l.keys[key] {
				done++
			}
		}
		s.Sweeps = append(s.Sweeps, stateOf(&w, done, l.tried[w.Command], time.Now()))
	}
	return s
}

// means are the means of the policies with the most runs, in the order of the points. Runs
// of two builds, windows or other settings are in two means.
func means(points []sweeppage.Point) []mean {
	type group struct{ policy, gpu, series string }
	by, order := map[group][]sweeppage.Point{}, []group(nil)
	for _, p := range points {
		g := group{p.Policy, p.GPU, p.Series}
		if by[g] == nil {
			order = append(order, g)
		}
		by[g] = append(by[g], p)
	}
	shown := slices.Clone(order)
	slices.SortStableFunc(shown, func(a, b group) int { return len(by[b]) - len(by[a]) })
	shown = shown[:min(mostMeans, len(shown))]
	list := []mean{}
	var lost [sweeppage.NumMetrics]map[string]bool
	for m := range lost {
		lost[m] = starved(points, sweeppage.Metric(m))
	}
	for _, g := range order {
		if slices.Contains(shown, g) {
			of := func(m sweeppage.Metric) string { return meanOf(by[g], m, lost[m]) }
			list = append(list, mean{g.policy, g.gpu, g.series, len(by[g]), of(sweeppage.STP), of(sweeppage.ANTT), of(sweeppage.Fairness)})
		}
	}
	return list
}

// mixOf names the mix and setting that points of different policies have in common.
func mixOf(p *sweeppage.Point) string { return strings.Join(p.Mix, " + ") + "\n" + p.Setting }

// starved are the mixes of which a point lacks a metric, because an application made no
// progress.
func starved(points []sweeppage.Point, m sweeppage.Metric) map[string]bool {
	list := map[string]bool{}
	for i := range points {
		if math.IsNaN(points[i].Metrics[m]) {
			list[mixOf(&points[i])] = true
		}
	}
	return list
}

// meanOf is the mean over the points but for the lost mixes, with their number if it is
// not that of all; a dash without any.
func meanOf(points []sweeppage.Point, m sweeppage.Metric, lost map[string]bool) string {
	sum, n := 0.0, 0
	for i := range points {
		if !lost[mixOf(&points[i])] {
			sum, n = sum+points[i].Metrics[m], n+1
		}
	}
	switch {
	case n == 0:
		return "–"
	case n < len(points):
		return fmt.Sprintf("%.3f (of %d)", sum/float64(n), n)
	}
	return fmt.Sprintf("%.3f", sum/float64(n))
}

// report reads news and makes the page of the store, or of a sweep of it if id is not "".
// Pages are the addresses of runs' own pages. It returns nil if the sweep is unknown.
func (l *liveStore) report(ctx context.Context, id string, pages map[string]string) (r *sweeppage.Report, version int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refresh(ctx)
	r = &sweeppage.Report{Title: "Runs of " + l.name, Live: "data.json"}
	runs := l.runs
	if id != "" {
		i := slices.IndexFunc(l.sweeps, func(w store.Sweep) bool { return sweepID(w.Command) == id })
		if i < 0 {
			return nil, 0
		}
		w := l.sweeps[i]
		r.Title = w.Command
		wanted := map[string]bool{}
		for _, key := range w.Keys {
			wanted[key] = true
		}
		runs = slices.DeleteFunc(slices.Clone(runs), func(k *sweep.Known) bool { return !wanted[k.Key] })
		r.About = fmt.Sprintf("%d of %s stored when the page was opened. ", len(runs), workload.Count(len(w.Keys), "run"))
	}
	if l.problem != "" {
		r.Notes = append(r.Notes, l.name+": "+l.problem)
	}
	if len(l.faults) > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("%s cannot be shown, of which the first is %s: %v", workload.Count(len(l.faults), "run"), l.faults[0].Key, l.faults[0].Err))
	}
	r.Points = sweeppage.Points(runs, pages)
	r.About += "The page follows the store."
	return r, l.version
}
