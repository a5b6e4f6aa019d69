package reproduce

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"cotenant/experiment/validation"
	"cotenant/platform/wiring"
)

// hierarchicalV100 is v100 with a crossbar in tiers. The link that a TPC's requests share
// takes 1.09 times an SM's flit, as the study of this figure measured for writes. A GPC has a link
// of replies to each of four memory partitions, each a flit wide (choice).
const hierarchicalV100 = "v100?request_noc.tpc_bytes=44&reply_noc.gpc_bytes=72&reply_noc.gpc_ports=4"

// fabric are ratios of bandwidths between SMs and the L2, as published by Jin et al., MICRO 2024.
var fabric = []struct {
	chip, gpu, label string
	over, base       func(places) validation.Traffic
	value            float64 // published; 0: none
	from             string
}{
	{"v100", hierarchicalV100, "two SMs of a TPC over one, reads", reads(places.tpc), reads(first(1)), 2, "TPC speedup"},
	{"v100", hierarchicalV100, "two SMs of a TPC over one, writes", writes(places.tpc), writes(first(1)), 1.09, "TPC speedup"},
	{"v100", hierarchicalV100, "an SM of each TPC of a GPC over one, reads", reads(places.tpcs), reads(first(1)), 3.5, "GPC_l, about 50 % of 7"},
	{"v100", hierarchicalV100, "all SMs of a GPC over one, reads", reads(places.gpc), reads(first(1)), 0, ""},
	{"v100", hierarchicalV100, "28 SMs packed over spread, to a partition, reads", toPartition(first(28)), toPartition(acrossGPCs(28)), 0.38, "Figure 15(b), 62 % less"},
	{"v100", hierarchicalV100, "four partitions over one, 14 SMs of a GPC, reads", reads(first(14)), toPartition(first(14)), 3.18, "Figure 15(c), 218 % more"},
	{"a100", "a100", "two SMs of a TPC over one, reads", reads(places.tpc), reads(first(1)), 2, "TPC speedup"},
	{"a100", "a100", "two SMs of a TPC over one, writes", writes(places.tpc), writes(first(1)), 2, "TPC speedup"},
	{"h100", "h100", "two SMs of a TPC over one, reads", reads(places.tpc), reads(first(1)), 2, "TPC speedup"},
	{"h100", "h100", "two SMs of a TPC over one, writes", writes(places.tpc), writes(first(1)), 2, "TPC speedup"},
	{"h100", "h100", "an SM of each TPC of a GPC over one, reads", reads(places.tpcs), reads(first(1)), 8, "GPC_l, close to 8"},
	{"h100", "h100", "six SMs of a CPC over one, writes", writes(first(6)), writes(first(1)), 4.6, "CPC speedup"},
}

// places are the SMs of each GPC, by number, the largest GPC first.
type places struct {
	sms    [][]int
	tpcSMs int
}

// placesOf fails for a GPU without GPCs or TPCs.
func placesOf(gpu *wiring.Config) (p places, err error) {
	if len(gpu.GPCs) == 0 || gpu.Driver.TPCSMs == 0 {
		return p, fmt.Errorf("%s has no gpcs or no driver.tpc_sms; valid: v100, a100, h100, rtx4090 and what extends them", gpu.Name)
	}
	p = places{gpu.SMsOfGPCs(), gpu.Driver.TPCSMs}
	slices.SortStableFunc(p.sms, func(a, b []int) int { return cmp.Compare(len(b), len(a)) })
	return p, nil
}

func (p places) gpc() []int { return p.sms[0] }
func (p places) tpc() []int { return p.sms[0][:p.tpcSMs] }

// tpcs has the first SM of each TPC of the first GPC.
func (p places) tpcs() (list []int) {
	for i := 0; i < len(p.sms[0]); i += p.tpcSMs {
		list = append(list, p.sms[0][i])
	}
	return list
}

// first has the first SMs, GPC after GPC.
func first(n int) func(places) []int {
	return func(p places) []int { all := slices.Concat(p.sms...); return all[:min(n, len(all))] }
}

// acrossGPCs takes SMs from all GPCs in turn.
func acrossGPCs(n int) func(places) []int {
	return func(p places) (list []int) {
		for i := range p.sms[0] {
			for _, gpc := range p.sms {
				if i < len(gpc) && len(list) < n {
					list = append(list, gpc[i])
				}
			}
		}
		return list
	}
}

func reads(sms func(places) []int) func(places) validation.Traffic {
	return func(p places) validation.Traffic { return validation.Traffic{SMs: sms(p)} }
}

func writes(sms func(places) []int) func(places) validation.Traffic {
	return func(p places) validation.Traffic { return validation.Traffic{SMs: sms(p), Writes: true} }
}

// toPartition reads lines of the first quarter of the DRAM channels.
func toPartition(sms func(places) []int) func(places) validation.Traffic {
	return func(p places) validation.Traffic { return validation.Traffic{SMs: sms(p), Part: 1, Parts: 4} }
}

func init() { makers["fabric"] = fabricRows }

// fabricRows are the ratios, beside the published ones.
func fabricRows(d *evaluation, _ []Row) (rows []Row) {
	known := map[string]float64{}
	for _, f := range fabric {
		chip, gpu, own := d.chip(f.chip, f.gpu, fabric[0].chip)
		if gpu == nil {
			continue
		}
		at, err := placesOf(gpu)
		if err != nil {
			d.fail(err)
			return nil
		}
		measure := func(t validation.Traffic) float64 {
			key := fmt.Sprint(gpu.Name, t)
			if _, ok := known[key]; !ok && d.Measured != nil && err == nil {
				known[key], err = d.Measured.Fabric(gpu, t)
			}
			return known[key]
		}
		ratio := math.NaN()
		if over, base := measure(f.over(at)), measure(f.base(at)); base > 0 {
			ratio = over / base
		}
		if err != nil {
			d.fail(err)
			return nil
		}
		r := figureRow(chip+", "+f.label, "", ratio)
		if own && f.value > 0 {
			r = r.is(f.value, "Jin et al., MICRO 2024, IV: "+f.from)
		}
		rows = append(rows, r)
	}
	return rows
}
