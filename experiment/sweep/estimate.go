package sweep

import "time"

// crowding is how much longer a mix takes than the slowest of its applications
// alone, until a mix has shown it: 1.1 to 1.4 for mixes of two to four of the
// built-in applications.
const crowding = 1.25

// estimate predicts the time for the rest of a plan. It predicts each run by the times of
// its applications alone.
type estimate struct {
	plan     *Plan
	parallel int
	took     map[*Job]time.Duration // runs made, and stored runs of single applications
	began    map[*Job]time.Time     // runs under way
	done     map[*Job]bool          // runs that need no more work
}

func newEstimate(plan *Plan, parallel int) *estimate {
	return &estimate{plan, parallel, map[*Job]time.Duration{}, map[*Job]time.Time{}, map[*Job]bool{}}
}

// begin notes that a run begins.
func (e *estimate) begin(j *Job, now time.Time) { e.began[j] = now }

// end notes that a run has ended, with a result or without.
func (e *estimate) end(j *Job, now time.Time, made bool) {
	if began, ok := e.began[j]; ok && made {
		e.took[j] = now.Sub(began)
	}
	delete(e.began, j)
	e.done[j] = true
}

// left is the time until the end; 0 if no run has shown how fast they are.
func (e *estimate) left(now time.Time) time.Duration {
	speeds, sum, longest := e.speeds(), time.Duration(0), time.Duration(0)
	if len(speeds.alone) == 0 {
		return 0
	}
	for _, j := range e.plan.All() {
		if e.done[j] {
			continue
		}
		rest := speeds.predicted(j)
		if began, ok := e.began[j]; ok {
			rest = max(0, rest-now.Sub(began))
		}
		sum += rest
		longest = max(longest, rest)
	}
	return max(longest, sum/time.Duration(e.parallel))
}

// speeds sums up the runs so far.
type speeds struct {
	took  map[*Job]time.Duration
	alone map[pace]total // of runs of single applications
	mixes total          // of mixes, over their slowest application alone
}

// pace groups runs of single applications of one speed. An empty application stands for
// all.
type pace struct {
	app   string
	until string // "" for a window of cycles, by which the time grows
}

// total is the time that some runs took, over how long they are.
type total struct {
	took time.Duration
	size float64
}

func (t total) plus(took time.Duration, size float64) total {
	return total{t.took + took, t.size + size}
}

// paces are those of the job's first application and of all, and the length of the run
// relative to other runs of its pace.
func (j *Job) paces() (list [2]pace, size float64) {
	if j.Cycles > 0 {
		return [2]pace{{app: j.Apps[0]}, {}}, float64(j.Cycles)
	}
	return [2]pace{{j.Apps[0], j.Until}, {until: j.Until}}, 1
}

func (e *estimate) speeds() *speeds {
	s := &speeds{took: e.took, alone: map[pace]total{}}
	for _, j := range e.plan.phases[0] {
		if took, known := e.took[j]; known {
			paces, size := j.paces()
			for _, p := range paces {
				s.alone[p] = s.alone[p].plus(took, size)
			}
		}
	}
	for _, j := range e.plan.phases[1] {
		if took, known := e.took[j]; known {
			s.mixes = s.mixes.plus(took, s.slowest(j).Seconds())
		}
	}
	return s
}

// predicted is the time for a whole run.
func (s *speeds) predicted(j *Job) time.Duration {
	if took, known := s.took[j]; known {
		return took
	}
	if len(j.Apps) == 1 {
		paces, size := j.paces()
		for _, p := range paces {
			if t := s.alone[p]; t.size > 0 {
				return time.Duration(float64(t.took) / t.size * size)
			}
		}
		return 0 // of another kind than all that have been made
	}
	if s.mixes.size > 0 {
		return time.Duration(s.slowest(j).Seconds() / s.mixes.size * float64(s.mixes.took))
	}
	return time.Duration(crowding * float64(s.slowest(j)))
}

// slowest is the longest time that an application of a mix takes alone.
func (s *speeds) slowest(j *Job) (longest time.Duration) {
	for _, alone := range j.isolated {
		longest = max(longest, s.predicted(alone))
	}
	return longest
}
