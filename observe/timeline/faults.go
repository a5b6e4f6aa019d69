package timeline

import (
	"fmt"
	"slices"

	"cotenant/host/pager"
	"cotenant/mem/mmu/fill"
	"cotenant/protocol"
	"cotenant/tenant"
)

// The process of page faults has a thread for each concurrent service of the pager, and
// for each concurrent region in flight.
const (
	pagerThread  = 1
	regionThread = 1024 // above the number of concurrent services of any pager
)

// lanes give each of several concurrent events a track.
type lanes struct{ taken []bool }

// take takes the first free lane.
func (l *lanes) take() int {
	i := slices.Index(l.taken, false)
	if i < 0 {
		i = len(l.taken)
		l.taken = append(l.taken, false)
	}
	l.taken[i] = true
	return i
}

func (l *lanes) free(i int) { l.taken[i] = false }

// region is a region in flight, and its lane.
type region struct {
	fill.Fault
	lane int
}

// service is a service of the pager that may not have ended.
type service struct {
	region     uint64
	account    tenant.Account
	class      protocol.Fault
	bytes      uint64
	start, end uint64
	lane       int
}

// faults are the page faults in flight.
type faults struct {
	regions     []region // in the order of their faults
	regionLanes lanes
	services    []service
	pagerLanes  lanes
}

// FaultListener tells the timeline of missing regions: from the cycle at which an SM
// learns of the fault to the cycle at which it learns of the service.
func (w *Writer) FaultListener() fill.Listener {
	return fill.Listener{Raised: w.raised, Served: w.served}
}

// PagerListener tells the timeline of the pager's services.
func (w *Writer) PagerListener() pager.Listener {
	return pager.Listener{InService: w.inService}
}

func (w *Writer) raised(f fill.Fault) {
	w.faults.regions = append(w.faults.regions, region{f, w.faults.regionLanes.take()})
	w.inFlight(f, f.Raised, 1)
}

func (w *Writer) served(f fill.Fault, cycle uint64) {
	i := slices.IndexFunc(w.faults.regions, func(r region) bool { return r.Region == f.Region })
	if i < 0 {
		return
	}
	w.closeRegion(&w.faults.regions[i], cycle, "")
	w.faults.regionLanes.free(w.faults.regions[i].lane)
	w.faults.regions = slices.Delete(w.faults.regions, i, i+1)
	w.inFlight(f, cycle, -1)
}

// inFlight changes the number of a tenant's regions in flight.
func (w *Writer) inFlight(f fill.Fault, cycle uint64, by int) {
	w.nameProcess(faultProcess)
	w.count(&w.pending, cycle)
	w.pending.add(int(f.Account.Tenant()), by)
}

func (w *Writer) closeRegion(r *region, end uint64, more string) {
	by := "pager"
	if r.Local {
		by = "SM"
	}
	t := track{faultProcess, regionThread + r.lane}
	w.name(t, fmt.Sprintf(`"regions · %d"`, r.lane+1))
	w.fault(t, fmt.Sprintf("%v (%s)", r.Class, by), r.Account, r.Region, min(r.Raised, end), end, more)
}

// fault writes a slice of a region.
func (w *Writer) fault(t track, name string, a tenant.Account, addr, start, end uint64, more string) {
	k := int(a.Tenant())
	w.slice(t, slice{quote(name), "fault", colour(k), start, end,
		fmt.Sprintf(`,"tenant":%s,"region":"%#x"%s`, w.names[k], addr&^a.Base(), more)})
}

func (w *Writer) inService(f *protocol.RegionFault, start, end uint64) {
	w.endServices(start, false)
	w.faults.services = append(w.faults.services, service{f.Region, f.Account, f.Class, f.Bytes, start, end, w.faults.pagerLanes.take()})
}

// endServices writes the services that have ended by a cycle, or all up to it.
func (w *Writer) endServices(cycle uint64, all bool) {
	w.faults.services = slices.DeleteFunc(w.faults.services, func(s service) bool {
		if s.end > cycle && !all {
			return false
		}
		more := fmt.Sprintf(`,"bytes":%d`, s.bytes)
		if s.end > cycle {
			more += `,"unfinished":true`
		}
		t := track{faultProcess, pagerThread + s.lane}
		name := `"pager"`
		if s.lane > 0 {
			name = fmt.Sprintf(`"pager · %d"`, s.lane+1)
		}
		w.name(t, name)
		w.fault(t, s.class.String(), s.account, s.region, min(s.start, cycle), min(s.end, cycle), more)
		w.faults.pagerLanes.free(s.lane)
		return true
	})
}

// closeFaults ends services and regions in flight.
func (w *Writer) closeFaults(cycle uint64) {
	w.endServices(cycle, true)
	for i := range w.faults.regions {
		w.closeRegion(&w.faults.regions[i], cycle, `,"unfinished":true`)
	}
}
