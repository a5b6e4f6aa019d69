package l1

import (
	"cotenant/protocol"
	"cotenant/tenant"
)

func init() {
	prefetchers.Add("next-line", func(s PrefetchSpec) Prefetcher { return nextLine{s.Degree} })
}

// nextLine asks for the lines behind a line that misses, and behind a line that it fetched
// itself when the first load finds it (Smith, ACM Computing Surveys 1982: tagged
// prefetch).
type nextLine struct{ degree int }

func (n nextLine) Looked(at *Lookup, fetch []Fetch) []Fetch {
	if at.Hit && !at.First {
		return fetch
	}
	for i := range n.degree {
		fetch = append(fetch, Fetch{at.Line + uint64(i+1)*protocol.LineBytes, at.Sectors})
	}
	return fetch
}

func (nextLine) Invalidated(tenant.ID) {}
