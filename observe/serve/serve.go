// Package serve shows stores of results in the browser, on this machine's loopback and
// while sweeps fill them: each sweep's progress, the figures of its policies, the page
// that compares its runs, and runs' own pages beside the store.
//
// It only reads. Of the file system it serves only pages that this program has written,
// in the folders of the stores.
package serve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"cotenant/experiment/store"
	"cotenant/observe/loopback"
	"cotenant/observe/sweeppage"
)

// Server shows stores. It must be closed.
type Server struct {
	mu     sync.Mutex
	stores []*liveStore
	rooms  []*room
}

// room is a folder with stores, and pages beside them.
type room struct {
	path string
	root *os.Root // opens nothing outside the folder
	// whole says that all stores of the folder are shown, later ones too.
	whole bool
}

// New returns a server of stores, and of all stores in folders. The folder of a store must
// exist, the store itself need not.
func New(paths []string) (*Server, error) {
	s := &Server{}
	for _, path := range paths {
		if err := s.enter(path); err != nil {
			s.Close()
			return nil, fmt.Errorf("%s cannot be served: %w; give the path of a result store, or of a folder that has some", path, err)
		}
	}
	return s, nil
}

// enter adds a store, or a folder with all its stores.
func (s *Server) enter(path string) error {
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return s.room(path, true)
	case err == nil && !info.Mode().IsRegular():
		return errors.New("it is no regular file")
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case err == nil && info.Size() > 0: // an empty file may be a store that a sweep is making
		if f, err := store.OpenToRead(path); err == nil {
			_ = f.Close() // it has only been read from
		} else if store.Foreign(err) {
			return errors.New("it is no result store")
		}
	}
	if err := s.room(filepath.Dir(path), false); err != nil {
		return err
	}
	s.add(path)
	return nil
}

// Close closes the folders.
func (s *Server) Close() {
	for _, r := range s.rooms {
		_ = r.root.Close() // it has only been read from
	}
}

// room adds a folder, unless it is known.
func (s *Server) room(path string, whole bool) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	for _, r := range s.rooms {
		if known, err := os.Stat(r.path); err == nil && os.SameFile(known, info) {
			r.whole = r.whole || whole
			return nil
		}
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return err
	}
	s.rooms = append(s.rooms, &room{path, root, whole})
	return nil
}

// add adds a store under a unique name.
func (s *Server) add(path string) {
	base := filepath.Base(path)
	name := base
	for i := 2; ; i++ {
		at := slices.IndexFunc(s.stores, func(l *liveStore) bool { return l.name == name })
		if at < 0 {
			break
		}
		if filepath.Clean(s.stores[at].path) == filepath.Clean(path) {
			return
		}
		name = fmt.Sprintf("%s-%d", base, i)
	}
	s.stores = append(s.stores, &liveStore{name: name, path: path})
}

// extension ends the names of stores in a folder.
const extension = ".sqlite"

// list adds new stores of whole folders and returns all stores. It skips links, which may
// lead out of the folder.
func (s *Server) list() []*liveStore {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.rooms {
		if !r.whole {
			continue
		}
		entries, _ := fs.ReadDir(r.root.FS(), ".") // a deleted folder has none
		for _, e := range entries {
			if e.Type().IsRegular() && strings.HasSuffix(e.Name(), extension) {
				s.add(filepath.Join(r.path, e.Name()))
			}
		}
	}
	return slices.Clone(s.stores)
}

func (s *Server) find(name string) *liveStore {
	for _, l := range s.list() {
		if l.name == name {
			return l
		}
	}
	return nil
}

// page is a page beside a store.
type page struct {
	Name string `json:"name"`
	URL  string `json:"url"`
	hash string // config_hash, of a run's page
}

// pages lists all pages beside stores.
func (s *Server) pages() (list []page) {
	for i, r := range s.rooms {
		found := sweeppage.Pages(r.root.FS())
		for _, name := range slices.Sorted(maps.Keys(found)) {
			address := url.URL{Path: "/pages/" + strconv.Itoa(i) + "/" + name}
			list = append(list, page{name, address.String(), found[name]})
		}
	}
	return list
}

// runPages are the addresses of runs' pages by config_hash.
func (s *Server) runPages() map[string]string {
	addresses := map[string]string{}
	for _, p := range slices.Backward(s.pages()) {
		if p.hash != "" {
			addresses[p.hash] = p.URL
		}
	}
	return addresses
}

// Run serves on a port of the loopback, any free port for 0, until ctx is done. It calls
// ready with the address.
func (s *Server) Run(ctx context.Context, port int, ready func(url string)) error {
	address, err := loopback.Address(":" + strconv.Itoa(port))
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("cannot listen: %w; valid: a free port, or none for any", err)
	}
	handler, err := s.Handler()
	if err != nil {
		listener.Close()
		return err
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second, WriteTimeout: time.Minute, IdleTimeout: time.Minute, MaxHeaderBytes: 32 << 10,
		BaseContext: func(net.Listener) context.Context { return ctx }}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	ready("http://" + listener.Addr().String() + "/")
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if server.Shutdown(last) != nil {
		_ = server.Close() // open requests have had time
	}
	return nil
}
