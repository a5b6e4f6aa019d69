package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/experiment/store"
	"cotenant/observe/browsertest"
)

// put stores a run of two applications under a policy.
func put(t *testing.T, s *store.Store, key, policy string) {
	putOf(t, s, key, policy, "0123456789", 1, 1.25)
}

// putOf stores such a run of a build, with a seed and a throughput.
func putOf(t *testing.T, s *store.Store, key, policy, program string, seed int, stp float64) {
	require.NoError(t, s.Put(store.Entry{Key: key,
		Identity: json.RawMessage(fmt.Sprintf(`{"program":%q,"gpu":{"Name":"smk16"},"policy":%q,"apps":[{"spec":"sgemm","name":"sgemm"},{"spec":"lbm","name":"lbm"}],"cycles":1000,"seed":%d}`, program, policy, seed)),
		Result:   json.RawMessage(fmt.Sprintf(`{"schema":2,"config_hash":"%x","stp":%g,"antt":2,"fairness":null,"hspeedup":0.5,"kernels":[{"normalized_ipc":0.5},{"normalized_ipc":0.75}]}`, key, stp))}))
}

// runPage is the page of the run of a key.
func runPage(key string) string {
	return fmt.Sprintf(`<html><head><meta name="generator" content="cotenant run page"><meta name="cotenant-configuration" content="%x"></head><body>page of %s</body></html>`, key, key)
}

func write(t *testing.T, path, text string) {
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}

// serving is a server, and a store that a sweep of three runs has begun to fill.
func serving(t *testing.T, paths func(folder string) []string) (*httptest.Server, *store.Store, string) {
	folder := t.TempDir()
	s, err := store.Open(filepath.Join(folder, "s.sqlite"))
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	put(t, s, "a", "spart")
	require.NoError(t, s.PutSweep(store.Sweep{Command: "cotenant sweep <m>.yaml", Began: time.Unix(1e9, 0), Keys: []string{"a", "b", "c"}}))
	server, err := New(paths(folder))
	require.NoError(t, err)
	t.Cleanup(server.Close)
	handler, err := server.Handler()
	require.NoError(t, err)
	h := httptest.NewServer(handler)
	t.Cleanup(h.Close)
	return h, s, folder
}

func ofStore(folder string) []string  { return []string{filepath.Join(folder, "s.sqlite")} }
func ofFolder(folder string) []string { return []string{folder} }

// ask asks for a path as it stands, without the client's tidying up.
func ask(t *testing.T, h *httptest.Server, method, path string, headers ...string) (*http.Response, string) {
	r, err := http.NewRequest(method, h.URL, nil)
	require.NoError(t, err)
	r.URL.Opaque = path
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		}
		r.Header.Set(headers[i], headers[i+1])
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Do(r)
	require.NoError(t, err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer, string(body)
}

func state(t *testing.T, h *httptest.Server) (s struct {
	Stores []storeState
	Pages  []page
}) {
	answer, body := ask(t, h, "GET", "/live.json")
	require.Equal(t, 200, answer.StatusCode, body)
	assert.Equal(t, "application/json", answer.Header.Get("Content-Type"))
	require.NoError(t, json.Unmarshal([]byte(body), &s))
	return s
}

// Runs of two builds are no sample of one mean; runs of two seeds are.
func TestMeansAreThoseOfABuild(t *testing.T) {
	h, s, _ := serving(t, ofStore)
	putOf(t, s, "b", "spart", "0123456789", 2, 1.5)
	assert.Equal(t, []mean{{"spart", "smk16", "", 2, "1.375", "2.000", "–"}}, state(t, h).Stores[0].Means)
	putOf(t, s, "c", "spart", "fedcba9876", 1, 1.75)
	assert.Equal(t, []mean{{"spart", "smk16", "build 01234567", 2, "1.375", "2.000", "–"}, {"spart", "smk16", "build fedcba98", 1, "1.750", "2.000", "–"}}, state(t, h).Stores[0].Means)
}

func TestSweepIsFollowedWhileItRuns(t *testing.T) {
	h, s, _ := serving(t, ofStore)
	now := state(t, h)
	require.Len(t, now.Stores, 1)
	first := now.Stores[0]
	assert.Equal(t, []any{"s.sqlite", 1, ""}, []any{first.Name, first.Runs, first.Problem})
	assert.Equal(t, "1 run, 1 mix, 1 policy, 1 GPU", first.About)
	id := first.Sweeps[0].ID
	assert.Equal(t, []sweepState{{ID: id, Command: "cotenant sweep <m>.yaml", Began: "2001-09-09T01:46:40Z", Total: 3, Done: 1, State: unknown}}, first.Sweeps)
	assert.Equal(t, []mean{{"spart", "smk16", "", 1, "1.250", "2.000", "–"}}, first.Means)

	answer, before := ask(t, h, "GET", "/stores/s.sqlite/data.json")
	tag := answer.Header.Get("ETag")
	answer, _ = ask(t, h, "GET", "/stores/s.sqlite/data.json", "If-None-Match", tag)
	assert.Equal(t, http.StatusNotModified, answer.StatusCode)

	put(t, s, "b", "smk-pw")
	put(t, s, "other", "fcfs")
	next := state(t, h).Stores[0]
	assert.Equal(t, []int{3, 2, 3}, []int{next.Runs, next.Sweeps[0].Done, next.Sweeps[0].Total})
	assert.Greater(t, next.Version, first.Version)
	answer, after := ask(t, h, "GET", "/stores/s.sqlite/data.json", "If-None-Match", tag)
	assert.Equal(t, 200, answer.StatusCode)
	assert.NotEqual(t, before, after)
	assert.Contains(t, after, `"policies":["fcfs","smk-pw","spart"]`)
	_, of := ask(t, h, "GET", "/stores/s.sqlite/sweeps/"+id+"/data.json")
	assert.Contains(t, of, `"policies":["smk-pw","spart"]`, "of the sweep alone")
	answer, body := ask(t, h, "GET", "/stores/s.sqlite/sweeps/"+id+"/")
	assert.Equal(t, "text/html; charset=utf-8", answer.Header.Get("Content-Type"))
	assert.Contains(t, body, "<h1>cotenant sweep &lt;m&gt;.yaml</h1>")
}

// A reader must not delay a sweep, nor wait for a sweep that holds the store.
func TestReadingGoesOnBesideAWriter(t *testing.T) {
	h, s, _ := serving(t, ofStore)
	done := make(chan error, 1)
	go func() {
		for i := range 60 {
			if err := s.Put(store.Entry{Key: fmt.Sprint("k", i), Identity: json.RawMessage(`{"apps":[{}]}`), Result: json.RawMessage(`{"schema":2,"kernels":[{}]}`)}); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	for running := true; running; {
		select {
		case err := <-done:
			require.NoError(t, err)
			running = false
		default:
			assert.Empty(t, state(t, h).Stores[0].Problem)
		}
	}
	assert.Equal(t, 61, state(t, h).Stores[0].Runs)
}

func TestStoreMayComeLaterAndGo(t *testing.T) {
	h, _, folder := serving(t, func(folder string) []string { return []string{folder, filepath.Join(folder, "later.db")} })
	names := func() (list []string) {
		for _, s := range state(t, h).Stores {
			list = append(list, s.Name+" "+s.Problem)
		}
		return list
	}
	assert.Equal(t, []string{"later.db there is no such store yet", "s.sqlite "}, names())
	for _, name := range []string{"later.db", "more.sqlite", "unseen.db"} {
		s, err := store.Open(filepath.Join(folder, name))
		require.NoError(t, err)
		require.NoError(t, s.Close())
	}
	write(t, filepath.Join(folder, "bad.sqlite"), "no store")
	got := names()
	require.Len(t, got, 4)
	assert.Equal(t, []string{"later.db ", "s.sqlite "}, got[:2])
	assert.Contains(t, got[2], "bad.sqlite store ")
	assert.Contains(t, got[2], "not a database")
	assert.Equal(t, "more.sqlite ", got[3])
	require.NoError(t, os.Remove(filepath.Join(folder, "later.db")))
	assert.Equal(t, "later.db there is no such store yet", names()[0])
}

func TestPagesOfRunsAreInASandbox(t *testing.T) {
	h, _, folder := serving(t, ofStore)
	write(t, filepath.Join(folder, "my pages", "a#1.html"), runPage("a"))
	now := state(t, h)
	require.Len(t, now.Pages, 1)
	assert.Equal(t, "/pages/0/my%20pages/a%231.html", now.Pages[0].URL)
	answer, body := ask(t, h, "GET", now.Pages[0].URL)
	assert.Equal(t, 200, answer.StatusCode)
	assert.Contains(t, body, "page of a")
	assert.Equal(t, "text/html; charset=utf-8", answer.Header.Get("Content-Type"))
	assert.Contains(t, answer.Header.Get("Content-Security-Policy"), "sandbox allow-scripts; default-src 'none'")
	_, data := ask(t, h, "GET", "/stores/s.sqlite/data.json")
	assert.Contains(t, data, `"pages":{"0":"/pages/0/my%20pages/a%231.html"}`)
}

func TestNothingElseOfTheFileSystemIsHandedOut(t *testing.T) {
	h, _, folder := serving(t, ofFolder)
	outside := filepath.Join(t.TempDir(), "out.html")
	write(t, outside, runPage("secret"))
	write(t, filepath.Join(folder, "notes.txt"), "secret")
	write(t, filepath.Join(folder, "other.html"), "<p>secret</p>")
	require.NoError(t, os.Symlink(outside, filepath.Join(folder, "link.html")))
	require.NoError(t, os.Symlink(filepath.Dir(outside), filepath.Join(folder, "linked")))
	require.NoError(t, os.Symlink(outside, filepath.Join(folder, "link.sqlite")))
	require.NoError(t, syscall.Mkfifo(filepath.Join(folder, "pipe.html"), 0o600))
	relative, err := filepath.Rel(folder, outside)
	require.NoError(t, err)
	escaped := strings.ReplaceAll(relative, "/", "%2f")
	for _, path := range []string{
		"/pages/0/notes.txt", "/pages/0/other.html", "/pages/0/s.sqlite", "/pages/0/link.html", "/pages/0/linked/out.html", "/pages/0/pipe.html", "/pages/0/",
		"/pages/0/" + relative, "/pages/0/" + escaped, "/pages/0/x/%2e%2e/%2e%2e/" + escaped, "/pages/0//" + outside, "/pages/0/" + url.PathEscape(outside),
		"/pages/1/x.html", "/pages/-1/x.html", "/pages/0/%00.html", "/../" + relative,
		"/stores/none/", "/stores/link.sqlite/", "/stores/..%2f..%2fs.sqlite/", "/stores/s.sqlite/sweeps/none/", "/stores/s.sqlite/x", "/s.sqlite", "/favicon.ico",
	} {
		answer, body := ask(t, h, "GET", path)
		assert.NotContains(t, body, "secret", path)
		if answer.StatusCode/100 == 3 { // a tidier path
			answer, body = ask(t, h, "GET", answer.Header.Get("Location"))
			assert.NotContains(t, body, "secret", path)
		}
		assert.Contains(t, []int{http.StatusNotFound, http.StatusBadRequest}, answer.StatusCode, path)
	}
	assert.Empty(t, state(t, h).Pages)
	assert.Len(t, state(t, h).Stores, 1)
}

func TestOnlyReadingIsAllowed(t *testing.T) {
	h, _, _ := serving(t, ofStore)
	for _, path := range []string{"/", "/live.json", "/stores/s.sqlite/", "/none"} {
		for _, method := range []string{"POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "STRANGE"} {
			answer, _ := ask(t, h, method, path)
			assert.Equal(t, http.StatusMethodNotAllowed, answer.StatusCode, method+" "+path)
			assert.Equal(t, "GET, HEAD", answer.Header.Get("Allow"))
		}
	}
	answer, body := ask(t, h, "HEAD", "/stores/s.sqlite/")
	assert.Equal(t, 200, answer.StatusCode)
	assert.Empty(t, body)
}

func TestOthersGetNothing(t *testing.T) {
	h, _, _ := serving(t, ofStore)
	for _, headers := range [][]string{{"Host", "evil.example"}, {"Origin", "http://evil.example"}, {"Origin", "null"}, {"Sec-Fetch-Site", "cross-site"}} {
		answer, body := ask(t, h, "GET", "/live.json", headers...)
		assert.Equal(t, http.StatusForbidden, answer.StatusCode, headers)
		assert.NotContains(t, body, "s.sqlite")
	}
	answer, _ := ask(t, h, "GET", "/live.json", "Origin", h.URL)
	assert.Equal(t, 200, answer.StatusCode)
}

func TestEveryAnswerSaysWhatItMayDo(t *testing.T) {
	h, _, _ := serving(t, ofStore)
	for _, path := range []string{"/", "/live.json", "/stores/s.sqlite/", "/none"} {
		answer, _ := ask(t, h, "GET", path)
		for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store", "Cross-Origin-Resource-Policy": "same-origin"} {
			assert.Equal(t, want, answer.Header.Get(name), path)
		}
		policy := answer.Header.Get("Content-Security-Policy")
		assert.Contains(t, policy, "default-src 'none'; script-src 'sha256-")
		assert.NotRegexp(t, `script-src[^;]*unsafe`, policy)
	}
}

// The browser runs no script that the policy does not name, so what they draw is
// there only if it names them all.
func TestBrowserShowsWhatIsServed(t *testing.T) {
	h, s, _ := serving(t, ofStore)
	put(t, s, "b", "smk-pw")
	browsertest.Visit(t, h.URL+"/", regexp.MustCompile(`2 of 3 runs, begun 2001-09-09 01:46:40 UTC`))
	browsertest.Visit(t, h.URL+"/stores/s.sqlite/", regexp.MustCompile(`(?s)2 runs of 2 shown\..*id="heat".*sgemm \+ lbm.*class="chart"[^>]*_echarts_instance_`))
}

func TestStoreOfSingleApplicationsIsSaidToBeThat(t *testing.T) {
	h, _, folder := serving(t, func(folder string) []string { return []string{filepath.Join(folder, "alone.sqlite")} })
	s, err := store.Open(filepath.Join(folder, "alone.sqlite"))
	require.NoError(t, err)
	require.NoError(t, s.Put(store.Entry{Key: "a", Result: json.RawMessage(`{"schema":2,"kernels":[{"normalized_ipc":1}]}`),
		Identity: json.RawMessage(`{"program":"0123456789","gpu":{"Name":"smk16"},"policy":"fcfs","apps":[{"spec":"lbm","name":"lbm"}],"cycles":1000,"seed":1}`)}))
	require.NoError(t, s.Close())
	browsertest.Visit(t, h.URL+"/", regexp.MustCompile(`1 run stored, none of several applications\. Last written`))
}

func TestBrowserTakesInNewRuns(t *testing.T) {
	h, s, _ := serving(t, ofStore)
	asked := 0
	inner := h.Config.Handler
	h.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/data.json") {
			if asked++; asked == 1 {
				put(t, s, "b", "smk-pw")
			}
		}
		inner.ServeHTTP(w, r)
	})
	browsertest.Visit(t, h.URL+"/stores/s.sqlite/", regexp.MustCompile(`(?s)2 runs of 2 shown\..*<input type="checkbox">smk-pw.*id="heat"`))
	assert.Positive(t, asked)
}

func TestServerEndsWhenItIsTold(t *testing.T) {
	server, err := New(ofStore(t.TempDir()))
	require.NoError(t, err)
	defer server.Close()
	ctx, end := context.WithCancel(t.Context())
	address, ended := make(chan string, 1), make(chan error, 1)
	go func() { ended <- server.Run(ctx, 0, func(url string) { address <- url }) }()
	at := <-address
	assert.Regexp(t, `^http://127\.0\.0\.1:\d+/$`, at)
	answer, err := http.Get(at)
	require.NoError(t, err)
	answer.Body.Close()
	assert.Equal(t, 200, answer.StatusCode)
	u, err := url.Parse(at)
	require.NoError(t, err)
	port := 0
	_, err = fmt.Sscan(u.Port(), &port)
	require.NoError(t, err)
	assert.ErrorContains(t, server.Run(ctx, port, nil), "cannot listen")
	end()
	select {
	case err := <-ended:
		assert.NoError(t, err)
	case <-time.After(5 * time.Second):
		assert.Fail(t, "it did not end")
	}
}

func TestWhatCannotBeServedIsRefused(t *testing.T) {
	_, err := New([]string{filepath.Join(t.TempDir(), "none", "s.sqlite")})
	assert.ErrorContains(t, err, "cannot be served")
	_, err = New([]string{os.DevNull})
	assert.ErrorContains(t, err, "no regular file")
	path := filepath.Join(t.TempDir(), "page.html")
	require.NoError(t, os.WriteFile(path, []byte("<!doctype html>"), 0o600))
	_, err = New([]string{path})
	assert.ErrorContains(t, err, path+" cannot be served: it is no result store")
	require.NoError(t, os.Truncate(path, 0)) // as a store is before its first transaction
	s, err := New([]string{path})
	require.NoError(t, err)
	s.Close()
}
