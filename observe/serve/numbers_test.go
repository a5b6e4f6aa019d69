package serve

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/experiment/store"
	"cotenant/observe/browsertest"
)

// sweepsOf puts into a store sweeps in every state.
func sweepsOf(t *testing.T, s *store.Store) {
	began := time.Now().Truncate(time.Second).Add(-10 * time.Minute)
	sweep := func(name string, keys string, a store.Attempt) {
		command := "cotenant sweep " + name + ".yaml"
		require.NoError(t, s.PutSweep(store.Sweep{Command: command, Began: began, Keys: strings.Split(keys, "")}))
		if a.State == "" {
			return
		}
		a.Command, a.Began = command, began
		require.NoError(t, s.PutAttempt(a))
	}
	var lost []store.Failure
	for i := range mostFailures + 3 {
		lost = append(lost, store.Failure{Run: fmt.Sprintf("cotenant run --seed %d", i), Message: fmt.Sprintf("array %d is too large", i)})
	}
	now := time.Now()
	sweep("running", "abx", store.Attempt{State: store.Running, Beat: now, Made: 47, Left: 3 * time.Hour, Failures: lost[:1]})
	sweep("slow", "abxy", store.Attempt{State: store.Running, Beat: now, Made: 3})
	sweep("dead", "axyz", store.Attempt{State: store.Running, Beat: now.Add(-33 * time.Second), Made: 1})
	sweep("failed", "abxyz", store.Attempt{State: store.Ended, Beat: now, Failures: lost})
	sweep("stopped", "abxyzuv", store.Attempt{State: store.Aborted, Beat: now, Message: "disk full"})
	sweep("complete", "ab", store.Attempt{State: store.Ended, Beat: now})
	sweep("old", "acde", store.Attempt{})
}

// Every number of the list of stores is that of the server's state; another number is told.
func TestNumbersOfTheListAreTheStates(t *testing.T) {
	h, s, folder := serving(t, ofStore)
	for i, key := range []string{"b", "c1", "c2", "c3"} {
		put(t, s, key, []string{"smk-pw", "spart", "fcfs", "smk"}[i])
	}
	putOf(t, s, "d", "smk", "fedcba9876", 1, 1.75)
	sweepsOf(t, s)
	write(t, folder+"/run1.html", runPage("a"))
	answer, body := ask(t, h, "GET", "/")
	require.Equal(t, 200, answer.StatusCode)
	var state map[string]any
	require.NoError(t, json.Unmarshal([]byte(regexp.MustCompile(`(?s)<script type="application/json" id="state">(.*?)</script>`).FindStringSubmatch(body)[1]), &state))
	p := browsertest.Render(t, body, 1280, browsertest.Reading+`
for (const d of document.querySelectorAll("details")) d.open = true;
found.stores = [...document.querySelectorAll("#stores section")].map((s) => ({
  name: s.querySelector("h2").textContent,
  about: s.querySelector("h2 ~ p")?.textContent ?? "",
  sweeps: [...s.querySelectorAll("progress")].map((bar) => ({ name: bar.previousElementSibling.textContent, done: bar.value, total: bar.max, standing: bar.nextElementSibling.textContent,
    failures: [...(bar.nextElementSibling.nextElementSibling?.matches("details") ? bar.nextElementSibling.nextElementSibling.children : [])].map((e) => e.textContent) })),
  means: cells(s.querySelectorAll("tbody tr")),
}));
found.pages = [...document.querySelectorAll("li")].map((e) => e.textContent);
found.further = further("h3, h2, h2 + p, .standing, details, table, li");`)
	assert.Empty(t, p.Wrong)

	plural := func(n float64) string {
		if n == 1 {
			return "1 run"
		}
		return fmt.Sprintf("%v runs", n)
	}
	span := func(seconds float64) string {
		switch s := int(seconds); {
		case s < 60:
			return fmt.Sprintf("%d s", s)
		case s < 3600:
			return fmt.Sprintf("%d min", s/60)
		case s < 86400:
			return fmt.Sprintf("%d h %d min", s/3600, s%3600/60)
		default:
			return fmt.Sprintf("%d days", s/86400)
		}
	}
	began := func(w map[string]any) string {
		return strings.NewReplacer("T", " ", "Z", " UTC").Replace(w["began"].(string))
	}
	standing := func(w map[string]any) string {
		there, lost := fmt.Sprintf("%v of %s", w["done"], plural(w["total"].(float64))), ""
		if failed := w["failed"].(float64); failed > 0 {
			lost = fmt.Sprintf(", %v failed", failed)
		}
		switch w["state"] {
		case complete:
			return "complete " + there + ", all there"
		case running:
			rate, left := w["per_minute"].(float64), ""
			pace := fmt.Sprintf("%v a minute", rate)
			if rate < 1 {
				pace = fmt.Sprintf("%v an hour", 60*rate)
			} else if rate >= 10 {
				pace = fmt.Sprintf("%v a minute", math.Round(rate))
			}
			if w["left"].(float64) > 0 {
				left = ", about " + span(w["left"].(float64)) + " left"
			}
			return "running " + there + lost + ", " + pace + left + ", begun " + began(w)
		case failed:
			return "failed " + there + lost + "; the same command tries again"
		case stopped:
			return "stopped " + there + ": disk full"
		case dead:
			return "dead " + there + lost + "; no sign of life for " + span(w["beat"].(float64)) + ": it was killed or halted, or its machine is off; the same command goes on from there"
		}
		return " " + there + ", begun " + began(w) + "; its program gives no signs of life"
	}
	want := func() any {
		store := state["stores"].([]any)[0].(map[string]any)
		sweeps, means := []any{}, []any{}
		for _, w := range store["sweeps"].([]any) {
			w := w.(map[string]any)
			failures := []any{}
			if list, ok := w["failures"].([]any); ok {
				failures = append(failures, plural(w["failed"].(float64))+" failed")
				for _, f := range list {
					f := f.(map[string]any)
					failures = append(failures, f["run"].(string)+f["message"].(string))
				}
				if more := w["failed"].(float64) - float64(len(list)); more > 0 {
					failures = append(failures, fmt.Sprintf("and %v more", more))
				}
			}
			sweeps = append(sweeps, map[string]any{"name": w["command"], "done": w["done"], "total": w["total"], "standing": standing(w), "failures": failures})
		}
		for _, m := range store["means"].([]any) {
			m := m.(map[string]any)
			setting, _ := m["setting"].(string) // left out where it is ""
			means = append(means, []any{m["policy"], m["gpu"], setting, m["runs"], m["stp"], m["antt"], m["fairness"]})
		}
		about := fmt.Sprintf("%v stored, those of single applications included. Of several applications: %v. Last written %s ago.", plural(store["runs"].(float64)), store["about"], span(store["written"].(float64)))
		return map[string]any{"stores": []any{map[string]any{"name": store["name"], "about": about, "sweeps": sweeps, "means": means},
			map[string]any{"name": "Pages", "about": "", "sweeps": []any{}, "means": []any{}}}, "pages": []any{state["pages"].([]any)[0].(map[string]any)["name"]}, "further": []any{}}
	}
	unseen := []string{".stores.0.version"}
	for i, w := range state["stores"].([]any)[0].(map[string]any)["sweeps"].([]any) {
		w := w.(map[string]any)
		for name, in := range map[string]string{"beat": dead, "per_minute": running, "left": running} {
			if w["state"] != in {
				unseen = append(unseen, fmt.Sprintf(".stores.0.sweeps.%d.%s", i, name))
			}
		}
		if w["state"] == complete || w["state"] == unknown || w["state"] == stopped {
			unseen = append(unseen, fmt.Sprintf(".stores.0.sweeps.%d.failed", i))
		}
	}
	browsertest.RequireTold(t, p.Found, state, want, 6, unseen...)
}
