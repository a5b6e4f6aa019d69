// Package loopback keeps servers on this machine's loopback, and refuses requests from
// foreign pages in the user's browser.
package loopback

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// Address completes HOST:PORT, or :PORT, to an address to listen on. It returns an
// error unless HOST is empty or this machine's loopback. Port 0 stands for any free
// port.
func Address(addr string) (string, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", fmt.Errorf("%q is not HOST:PORT; valid: :PORT or 127.0.0.1:PORT, port 0 for any", addr)
	}
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
		return "", fmt.Errorf("port %q of %q is none; valid: 0 to 65535, 0 for any", port, addr)
	}
	if host == "" || host == "localhost" {
		host = "127.0.0.1"
	}
	if !isLoopback(host) {
		return "", fmt.Errorf("host %q is not this machine's loopback; valid: none, localhost, 127.0.0.1 or ::1", host)
	}
	return net.JoinHostPort(host, port), nil
}

func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// Guard refuses requests from other pages in the user's browser: requests under a
// foreign host name, from another origin, or marked as cross-site by the browser. Without
// it any page could read the server's answers, or point its own name here.
func Guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host // without a port: 80
		}
		if !isLoopback(host) || !sameOrigin(r) || r.Header.Get("Sec-Fetch-Site") == "cross-site" {
			http.Error(w, "only this machine's own pages may ask", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// sameOrigin reports whether a request names no origin, or the server's.
func sameOrigin(r *http.Request) bool {
	for _, origin := range r.Header.Values("Origin") {
		if u, err := url.Parse(origin); err != nil || u.Scheme != "http" || u.Host != r.Host {
			return false
		}
	}
	return true
}

// Reply answers a request with a value as JSON.
func Reply(w http.ResponseWriter, value any) {
	text, err := json.Marshal(value)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(text) // a browser that has gone away needs no answer
}
