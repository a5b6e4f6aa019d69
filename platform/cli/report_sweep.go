package cli

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"cotenant/experiment/store"
	"cotenant/experiment/sweep"
	"cotenant/observe/sweeppage"
	"cotenant/workload"
)

// reportSweepFlags are the flags of report sweep.
type reportSweepFlags struct {
	html  outputFlag
	pages string
}

func newReportSweepCommand() *cobra.Command {
	f := &reportSweepFlags{}
	c := &cobra.Command{
		Use:   "sweep STORE... --html FILE",
		Short: "Write a page that compares the stored runs of sweeps",
		Long: "sweep writes a page of all stored runs of two or more applications, made by any build of the program: policies on mixes, by class, with the command of every run. " +
			"The page opens without a network. The command changes no store, and may run during a sweep.",
		Example: "  cotenant report sweep cotenant.sqlite --html sweep.html\n  cotenant report sweep smk.sqlite qos.sqlite --pages pages --html sweep.html",
		Args:    arguments(1, math.MaxInt, "report sweep takes the stores of sweeps", "report sweep STORE... --html FILE"),
		RunE:    opened(f.run),
	}
	c.Flags().SortFlags = false
	bindOutput(c, &f.html, wholeFile, "html", "write the page to `FILE`")
	c.Flags().StringVar(&f.pages, "pages", "", "`FOLDER` of the runs' own pages (run --html), for links to them; by default the folder of the page")
	return c
}

func (f *reportSweepFlags) run(c *cobra.Command, paths *files, stores []string) error {
	if !f.html.given() {
		return usagef("report sweep writes a page; valid: with --html FILE")
	}
	if err := paths.reads("report sweep", stores...); err != nil {
		return err
	}
	pages, err := f.runPages(paths)
	if err != nil {
		return err
	}
	out := &outputs[*sweeppage.Report]{}
	defer out.discard()
	if out.to(&f.html, func(r *sweeppage.Report, w io.Writer) error { return sweeppage.Write(w, r) }); out.err != nil {
		return out.err
	}
	var runs []*sweep.Known
	var notes []string
	for _, path := range stores {
		list, note, err := readStore(c, path)
		if err != nil {
			return err
		}
		if runs = append(runs, list...); note != "" {
			warn(c.ErrOrStderr(), note)
			notes = append(notes, note)
		}
	}
	points := sweeppage.Points(different(runs), pages)
	if len(points) == 0 {
		return fmt.Errorf("%s: no run of two or more applications that could be shown; cotenant query %s lists every run", strings.Join(stores, ", "), stores[0])
	}
	about := sweeppage.Count(points)
	report := &sweeppage.Report{Title: "Runs of " + strings.Join(stores, ", "), About: "Of two or more applications: " + about + ".", Notes: notes,
		Command: "cotenant report " + commandLine(c) + " " + quoted(stores), Points: points}
	if err := out.write(nil, report); err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.ErrOrStderr(), "%s; the page is in %s\n", about, f.html.path)
	return err
}

// readStore reads the runs of a store. A note says which runs cannot be shown.
func readStore(c *cobra.Command, path string) (list []*sweep.Known, note string, err error) {
	s, err := store.OpenToRead(path)
	if err != nil {
		return nil, "", err
	}
	defer s.Close()
	list, faults, err := sweep.Read(c.Context(), s, func(string) bool { return false })
	if err != nil {
		return nil, "", err
	}
	if len(faults) > 0 {
		note = fmt.Sprintf("%s: %s cannot be shown; the first is %s: %v", path, workload.Count(len(faults), "run"), faults[0].Key, faults[0].Err)
	}
	return list, note, nil
}

// different drops the second of equal runs.
func different(runs []*sweep.Known) []*sweep.Known {
	seen := map[string]bool{}
	return slices.DeleteFunc(runs, func(k *sweep.Known) bool {
		was := seen[k.Key]
		seen[k.Key] = true
		return was
	})
}

// runPages finds pages of runs, and enters them as inputs. It returns their addresses,
// relative to the command's page, by config_hash.
func (f *reportSweepFlags) runPages(paths *files) (map[string]string, error) {
	here := filepath.Dir(f.html.path)
	folder := here
	if f.pages != "" {
		folder = f.pages
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			return nil, usagef("--pages: %s is no folder; valid: the path of one", folder)
		}
	}
	found := sweeppage.Pages(os.DirFS(folder))
	addresses := map[string]string{}
	for _, name := range slices.Backward(slices.Sorted(maps.Keys(found))) {
		hash, path := found[name], filepath.Join(folder, filepath.FromSlash(name))
		if hash == "" {
			continue
		}
		if f.pages != "" { // else what was there may be replaced
			if err := paths.reads("--pages", path); err != nil {
				return nil, err
			}
		}
		from, err1 := filepath.Abs(here)
		to, err2 := filepath.Abs(path)
		if address, err := filepath.Rel(from, to); errors.Join(err1, err2, err) == nil {
			addresses[hash] = (&url.URL{Path: filepath.ToSlash(address)}).String()
		}
	}
	return addresses, nil
}
