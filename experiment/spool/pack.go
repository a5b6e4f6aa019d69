package spool

import (
	"time"

	"cotenant/experiment/sweep"
)

// taskTime is how long a task should take. Two figures predict an unknown run: 50000 cycles
// take a second or so, runs to the end differ.
const (
	taskTime        = 2 * time.Minute
	cyclesPerSecond = 50_000
	toTheEnd        = time.Minute
)

// pack divides runs into tasks, in their order: of n runs each, or for n = 0 of about
// taskTime each.
func pack(jobs []*sweep.Job, n int, predict func(*sweep.Job) time.Duration) (tasks [][]*sweep.Job) {
	var task []*sweep.Job
	var sum time.Duration
	for _, j := range jobs {
		task = append(task, j)
		if sum += expected(j, predict); n > 0 && len(task) == n || n == 0 && sum >= taskTime {
			tasks, task, sum = append(tasks, task), nil, 0
		}
	}
	if task != nil {
		tasks = append(tasks, task)
	}
	return tasks
}

// expected is the predicted time of a run.
func expected(j *sweep.Job, predict func(*sweep.Job) time.Duration) time.Duration {
	if took := predict(j); took > 0 {
		return took
	}
	if j.Cycles == 0 {
		return toTheEnd
	}
	return time.Duration(float64(j.Cycles) / cyclesPerSecond * float64(time.Second))
}
