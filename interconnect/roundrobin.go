package interconnect

func init() { arbiters.Add("roundrobin", func(Spec) arbiter { return &roundRobin{} }) }

// roundRobin serves the next input after its last choice.
type roundRobin struct{ next int }

func (r *roundRobin) choose(requests portSet) int {
	port := requests.firstFrom(r.next)
	r.next = port + 1
	return port
}
