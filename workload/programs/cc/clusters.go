package cc

import (
	"bytes"
	"regexp"
)

var (
	annotationName = regexp.MustCompile(`(?m)^@([\w.]+) = private unnamed_addr constant \[13 x i8\] c"cluster_dims\\00"`)
	annotations    = regexp.MustCompile(`(?m)^@llvm\.global\.annotations = .*$`)
	annotation     = regexp.MustCompile(`\{ ptr @([\w.$]+), ptr @([\w.]+), ptr @[\w.]+, i32 \d+, ptr @([\w.]+) \}`)
	number         = regexp.MustCompile(`i\d+ (\d+)`)
)

// clustersOf are the sizes of the clusters that intermediate code annotates kernels with (__cluster_dims__), as PTX
// writes them, by the kernels' names.
func clustersOf(code []byte) map[string][]byte {
	name := annotationName.FindSubmatch(code)
	if name == nil {
		return nil
	}
	sizes := map[string][]byte{}
	for _, a := range annotation.FindAllSubmatch(annotations.Find(code), -1) {
		if !bytes.Equal(a[2], name[1]) {
			continue
		}
		of := regexp.MustCompile(`(?m)^@` + regexp.QuoteMeta(string(a[3])) + ` = private unnamed_addr constant \{.*\} \{(.*)\}`).FindSubmatch(code)
		if of == nil {
			continue
		}
		var sides [][]byte
		for _, n := range number.FindAllSubmatch(of[1], -1) {
			sides = append(sides, n[1])
		}
		sizes[string(a[1])] = bytes.Join(sides, []byte(", "))
	}
	return sizes
}

// clustered puts the sizes of clusters into PTX.
func clustered(ptx []byte, sizes map[string][]byte) []byte {
	for kernel, size := range sizes {
		head := []byte(".entry " + kernel + "(")
		at := bytes.Index(ptx, head)
		if at < 0 {
			continue
		}
		at += bytes.Index(ptx[at:], []byte("\n{"))
		ptx = bytes.Join([][]byte{ptx[:at], []byte("\n.reqnctapercluster "), size, ptx[at:]}, nil)
	}
	return ptx
}
