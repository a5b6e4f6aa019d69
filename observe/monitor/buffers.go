package monitor

import (
	"cmp"
	"net/http"
	"runtime/metrics"
	"slices"
	"strconv"
	"time"

	"cotenant/observe/loopback"
)

// buffer is one port's queue, as the page's hang analyzer shows it.
type buffer struct {
	Name  string `json:"buffer"`
	Level int    `json:"level"`
	Cap   int    `json:"cap"`
}

func (b buffer) share() float64 { return float64(b.Level) / float64(max(b.Cap, 1)) }

func byLevel(a, b buffer) int { return cmp.Compare(b.Level, a.Level) }
func byShare(a, b buffer) int { return cmp.Compare(b.share(), a.share()) }

// buffers answers with the fullest queues. The query gives their order (level or
// percent), their number (0: all) and the first.
func (m *monitor) buffers(w http.ResponseWriter, r *http.Request) {
	first, second := byShare, byLevel
	switch order := r.FormValue("sort"); order {
	case "", "percent":
	case "level":
		first, second = byLevel, byShare
	default:
		http.Error(w, "sort is "+strconv.Quote(order)+"; valid: level, percent", http.StatusBadRequest)
		return
	}
	limit, err1 := count(r.FormValue("limit"))
	offset, err2 := count(r.FormValue("offset"))
	if err1 != nil || err2 != nil {
		http.Error(w, "limit and offset take whole numbers from 0", http.StatusBadRequest)
		return
	}
	list := m.queues()
	slices.SortStableFunc(list, func(a, b buffer) int { return cmp.Or(first(a, b), second(a, b)) })
	list = list[min(offset, len(list)):]
	if limit > 0 {
		list = list[:min(limit, len(list))]
	}
	loopback.Reply(w, list)
}

func count(text string) (int, error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(text, 10, 31)
	return int(n), err
}

// queues lists the queues of all components' ports.
func (m *monitor) queues() []buffer {
	list := []buffer{}
	m.hold(func() {
		for _, c := range m.components {
			for _, p := range c.Ports() {
				if q, ok := p.(interface {
					Level() int
					Depth() int
				}); ok {
					list = append(list, buffer{p.Name(), q.Level(), q.Depth()})
				}
			}
		}
	})
	return list
}

// cpuPercent is the processor time of the program over the time given, as the
// Go runtime estimates it at each garbage collection.
func cpuPercent(elapsed time.Duration) float64 {
	samples := []metrics.Sample{{Name: "/cpu/classes/user:cpu-seconds"}, {Name: "/cpu/classes/gc/total:cpu-seconds"}}
	metrics.Read(samples)
	seconds := 0.0
	for _, s := range samples {
		if s.Value.Kind() == metrics.KindFloat64 {
			seconds += s.Value.Float64()
		}
	}
	return 100 * seconds / max(elapsed.Seconds(), 1)
}
