package reproduce

import "cotenant/experiment"

// What figures name that is made in Go.

// measures are the metrics by name.
var measures = map[string]*metric{}

// sets are sets of mixes that are drawn, or in an order of their own.
var sets = map[string]func(*Experiment, Scale) []mix{}

// searches list the policies that a way tries for a mix.
var searches = map[string]func(d *evaluation, w *way, m *mix, best string) []string{}

// bests are what a way may be best in: higher is better.
var bests = map[string]func(*evaluation, *experiment.Result, *mix) float64{}

// makers make rows that are no metric of mixes, of those before them.
var makers = map[string]func(d *evaluation, before []Row) []Row{}
