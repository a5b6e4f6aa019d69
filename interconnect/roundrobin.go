package interconnect

// roundRobin serves the first input after the one that it served last.
type roundRobin struct{ next int }

func (r *roundRobin) choose(requests portSet) int {
	port := requests.firstFrom(r.next)
	r.next = port + 1
	return port
}
