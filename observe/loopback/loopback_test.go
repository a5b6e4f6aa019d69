package loopback

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestOnlyThisMachinesOwnPagesMayAsk(t *testing.T) {
	h := Guard(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }))
	for _, c := range []struct {
		host, origin, site string
		allowed            bool
	}{
		{"127.0.0.1:80", "", "", true}, {"localhost:1234", "", "same-origin", true}, {"[::1]:5", "", "none", true}, {"localhost", "", "", true},
		{"127.0.0.1:80", "http://127.0.0.1:80", "", true},
		{"127.0.0.1:80", "http://127.0.0.1:81", "", false}, {"127.0.0.1:80", "https://127.0.0.1:80", "", false}, {"127.0.0.1:80", "null", "", false}, {"127.0.0.1:80", "http://evil.example", "", false},
		{"evil.example:80", "", "", false}, {"evil.example", "", "", false}, {"127.0.0.1.evil.example", "", "", false}, {"192.168.0.1:80", "", "", false}, {"", "", "", false},
		{"127.0.0.1:80", "", "cross-site", false},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Host = c.host
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		if c.site != "" {
			r.Header.Set("Sec-Fetch-Site", c.site)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		want := http.StatusForbidden
		if c.allowed {
			want = http.StatusTeapot
		}
		assert.Equal(t, want, w.Code, "%+v", c)
	}
}

func TestOnlyLoopbackAddressesAreServed(t *testing.T) {
	for addr, want := range map[string]string{
		":0":             "127.0.0.1:0",
		":8080":          "127.0.0.1:8080",
		"localhost:8080": "127.0.0.1:8080",
		"127.0.0.2:1":    "127.0.0.2:1",
		"[::1]:80":       "[::1]:80",
	} {
		got, err := Address(addr)
		assert.NoError(t, err)
		assert.Equal(t, want, got)
	}
	for _, addr := range []string{"", "8080", "0.0.0.0:80", "[::]:80", "192.168.0.1:80", "example.com:80", ":http", ":65536", ":-1"} {
		_, err := Address(addr)
		assert.ErrorContains(t, err, "valid:", addr)
	}
}
