// Package shell carries out each task of a spool by a shell line, through ssh, GNU
// parallel, kubectl, srun or any other command. The line returns when the task has ended.
//
// The waiting process begins a limited number of lines at a time, in the order of tasks,
// and lines of a job once the jobs in After have ended. Each line is a process group of its
// own: it goes on when the waiting process is interrupted or killed. The next waiting
// process finds it by N.line in the folder of its job, with the number of the line's
// process, the time of its beginning, its slot and its machine. N.status has the line's
// exit status.
package shell

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"cotenant/experiment/spool"
)

// Queue begins lines. It implements spool.Queue.
type Queue struct {
	// Line is what the shell gets, after its placeholders (Help) are filled in.
	Line string
	// Parallel is the number of lines at a time; 0: one for each processor.
	Parallel int

	begun map[spool.TaskID]*line // that have not ended
	ended map[spool.TaskID]string
}

// line is a line under way.
type line struct {
	slot    int
	process int           // its number, and that of its group
	done    chan struct{} // nil for a line of another process
	began   string        // of another's: when, in the words of the system
}

// Help is what stands for something in a line.
const Help = "{task} stands for the task's command, quoted for a shell; {quoted} for the command quoted once more, as one word, for ssh; " +
	"{program}, {folder} and {index} for its parts; {name} for the task's unique name; {slot} for a number from 0 to --parallel - 1 that no other running line has"

// placeholder is a word in braces; behind a $ it is a variable of the shell.
var placeholder = regexp.MustCompile(`\$?\{[a-z]+\}`)

// Check returns an error if a line does not carry out a task, or has a placeholder
// that stands for nothing.
func Check(text string) error {
	known := []string{"{task}", "{quoted}", "{slot}", "{index}", "{name}", "{program}", "{folder}"}
	for _, word := range placeholder.FindAllString(text, -1) {
		if word[0] != '$' && !slices.Contains(known, word) {
			return fmt.Errorf("the line %q has %s, which stands for nothing; valid: %s", text, word, strings.Join(known, ", "))
		}
	}
	if strings.Contains(text, "{task}") || strings.Contains(text, "{quoted}") ||
		strings.Contains(text, "{program}") && strings.Contains(text, "{folder}") && strings.Contains(text, "{index}") {
		return nil
	}
	return fmt.Errorf("the line %q carries out no task; valid: one with {task}, or {quoted}", text)
}

// Limit implements spool.Queue.
func (q *Queue) Limit(context.Context) (int, error) { return 1 << 30, nil }

// Submit implements spool.Queue: lines are begun by States.
func (q *Queue) Submit(_ context.Context, j *spool.Job) (string, error) { return j.Name, nil }

// Find implements spool.Queue: what has not been begun yet will be.
func (q *Queue) Find(_ context.Context, j *spool.Job) (string, error) { return j.Name, nil }

// Show implements spool.Queue: it writes the lines.
func (q *Queue) Show(w io.Writer, j *spool.Job) error {
	for i := range j.Tasks {
		if _, err := fmt.Fprintln(w, q.fill(j, i, i%q.parallel())); err != nil {
			return err
		}
	}
	return nil
}

func (q *Queue) parallel() int {
	if q.Parallel > 0 {
		return q.Parallel
	}
	return runtime.GOMAXPROCS(0)
}

// fill is the line of a task.
func (q *Queue) fill(j *spool.Job, index, slot int) string {
	n := strconv.Itoa(index)
	task := j.Command(n)
	return strings.NewReplacer("{task}", task, "{quoted}", spool.Quote(task), "{program}", spool.Quote(j.Program), "{folder}", spool.Quote(j.Folder),
		"{index}", n, "{name}", fmt.Sprintf("%s-%d", j.Name, index), "{slot}", strconv.Itoa(slot)).Replace(q.Line)
}

// States implements spool.Queue, and begins lines.
func (q *Queue) States(_ context.Context, jobs []*spool.Job) (map[spool.TaskID]spool.State, error) {
	if q.begun == nil {
		q.begun, q.ended = map[spool.TaskID]*line{}, map[spool.TaskID]string{}
	}
	states, busy := map[spool.TaskID]spool.State{}, map[string]bool{}
	for _, j := range jobs {
		for i := range j.Tasks {
			id := spool.TaskID{Job: j.ID, Index: i}
			state := q.state(j, id)
			states[id] = state
			busy[j.ID] = busy[j.ID] || !state.Ended
		}
	}
	for _, j := range jobs {
		if slices.ContainsFunc(j.After, func(id string) bool { return busy[id] }) {
			continue
		}
		for i := range j.Tasks {
			id := spool.TaskID{Job: j.ID, Index: i}
			if state := states[id]; state.Running || state.Ended {
				continue
			}
			slot := q.slot()
			if slot < 0 {
				return states, nil
			}
			l, err := q.begin(j, i, slot)
			if err != nil {
				return nil, err
			}
			q.begun[id] = l
			states[id] = spool.State{Running: true}
		}
	}
	return states, nil
}

// slot is the least that no line has which goes on; -1 if all have one. States does
// not ask about a line any more once its results are there, so slot does.
func (q *Queue) slot() int {
	used := map[int]bool{}
	for _, l := range q.begun {
		if l.alive() {
			used[l.slot] = true
		}
	}
	for slot := range q.parallel() {
		if !used[slot] {
			return slot
		}
	}
	return -1
}

// state is that of a task, by its files if another process has begun it.
func (q *Queue) state(j *spool.Job, id spool.TaskID) spool.State {
	if how, ok := q.ended[id]; ok {
		return spool.State{Ended: true, Reason: how}
	}
	l := q.begun[id]
	if l == nil {
		if l = read(file(j, id.Index, "line")); l == nil {
			return spool.State{}
		}
		q.begun[id] = l
	}
	if l.alive() {
		return spool.State{Running: true}
	}
	how := "its line was killed"
	if status, err := os.ReadFile(file(j, id.Index, "status")); err == nil && len(status) > 0 {
		how = "exit status " + strings.TrimSpace(string(status))
	}
	delete(q.begun, id)
	q.ended[id] = how
	return spool.State{Ended: true, Reason: how}
}

func file(j *spool.Job, index int, kind string) string {
	return filepath.Join(j.Folder, fmt.Sprintf("%d.%s", index, kind))
}

// wrapped is a line that leaves word of itself. The shell has the arguments PID-FILE,
// STATUS-FILE and SLOT.
const wrapped = `{ echo "$$ $3 $(hostname) $(cut -d' ' -f22 /proc/$$/stat 2>/dev/null)"; } >"$1.new" && mv "$1.new" "$1"
(%s
)
echo $? >"$2"
`

// begin begins the line of a task.
func (q *Queue) begin(j *spool.Job, index, slot int) (*line, error) {
	log, err := os.OpenFile(file(j, index, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	c := exec.Command("sh", "-c", fmt.Sprintf(wrapped, q.fill(j, index, slot)), "sh", file(j, index, "line"), file(j, index, "status"), strconv.Itoa(slot))
	c.Stdout, c.Stderr = log, log
	spool.Detach(c)
	if err := c.Start(); err != nil {
		return nil, err
	}
	l := &line{slot: slot, process: c.Process.Pid, done: make(chan struct{})}
	go func() {
		_ = c.Wait() // the files tell
		close(l.done)
	}()
	return l, nil
}

// read reads what a line has left of itself; nil if nothing.
func read(path string) *line {
	text, err := os.ReadFile(path)
	fields := strings.Fields(string(text))
	if err != nil || len(fields) < 3 {
		return nil
	}
	l := &line{}
	l.process, _ = strconv.Atoi(fields[0])
	l.slot, _ = strconv.Atoi(fields[1])
	if host, err := os.Hostname(); err != nil || host != fields[2] {
		l.process = 0 // of another machine, out of sight
	}
	if len(fields) > 3 {
		l.began = fields[3]
	}
	return l
}

// alive reports whether a line's process is there.
func (l *line) alive() bool {
	if l.done != nil {
		select {
		case <-l.done:
			return false
		default:
			return true
		}
	}
	return l.process > 0 && there(l.process) && (l.began == "" || l.began == began(l.process))
}

// began is the time of a process's beginning, in ticks since the machine's; "" if unknown.
func began(process int) string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", process))
	_, after, _ := strings.Cut(string(text), ") ")
	if fields := strings.Fields(after); err == nil && len(fields) > 19 && fields[0] != "Z" {
		return fields[19]
	}
	return ""
}

// GoesOn implements spool.Queue.
func (q *Queue) GoesOn([]*spool.Job) string {
	var groups []string
	for _, l := range q.begun {
		if l.alive() {
			groups = append(groups, fmt.Sprintf("-%d", l.process))
		}
	}
	slices.Sort(groups)
	if len(groups) == 0 {
		return "the same command goes on from there"
	}
	return fmt.Sprintf("the lines under way go on: the same command waits for them, --collect stores their results so far, and kill -- %s ends them", strings.Join(groups, " "))
}
