package cc

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// maxCopied is the size in bytes above which LLVM copies in a loop for these targets
// (MaxAggrCopySize in NVPTXLowerAggrCopies.cpp).
const maxCopied = 128

var (
	structureCopy = regexp.MustCompile(`(?m)^( *)call void @llvm\.memcpy\.p\d+\.p\d+\.i64\((ptr(?: addrspace\(\d+\))?) align (\d+) (.+), ` +
		`(ptr(?: addrspace\(\d+\))?) align (\d+) (.+), i64 (\d+), i1 false\)[^!\n]*((?:, !dbg !\d+)?), !tbaa !(\d+), !tbaa\.struct !(\d+)$`)
	structureFields = regexp.MustCompile(`(?m)^!(\d+) = !\{((?:i64 \d+, i64 \d+, !\d+(?:, )?)+)\}$`)
	accessTag       = regexp.MustCompile(`(?m)^!(\d+) = !\{!\d+, !(\d+), i64 0, i64 \d+(?:, i64 1)?\}$`)
	typeName        = regexp.MustCompile(`(?m)^!(\d+) = !\{!\d+, i64 \d+, !"([^"]+)"`)
	vectorType      = regexp.MustCompile(`^_ZTS\d+u?(char|short|int|long|longlong|float|double)([24])$`)
	aggregate       = regexp.MustCompile(`(?m)^((?:@\S+ = .*\bglobal| +%\S+ = alloca) [\[{%].*, align )[1248]((?:, !dbg !\d+)*)$`)
)

// member is a scalar of a structure.
type member struct {
	offset, size int
	kind         string // its type in intermediate code
}

func (m *member) end() int { return m.offset + m.size }

// memberwise replaces, in intermediate code, the copy of a structure as so many bytes by loads and
// stores of its members, which is how nvcc copies one: it merges them as their alignment allows,
// a float4 into one access of 16 bytes, and keeps a copy in registers. LLVM would copy 16 bytes as
// two accesses of 8, and keep what a kernel does not touch of a local copy in local memory. Of a
// pair that fits a register, such as half2, it makes one access itself.
func memberwise(code []byte) []byte {
	tags, names := typesOf(code)
	structures := membersOf(code, tags, names)
	copies := 0
	return structureCopy.ReplaceAllFunc(code, func(call []byte) []byte {
		part := structureCopy.FindSubmatch(call)
		size, _ := strconv.Atoi(string(part[8]))
		members := structures[string(part[11])]
		if len(members) == 0 || size > maxCopied || members[len(members)-1].end() > size {
			return call
		}
		least := vectorAlignment(names[tags[string(part[10])]], size)
		known := func(given []byte) int {
			n, _ := strconv.Atoi(string(given))
			return max(n, least)
		}
		if len(members) == 2 && size <= 8 { // a pair
			at := structureCopy.FindSubmatchIndex(call)
			return fmt.Appendf(nil, "%s%d%s%d%s", call[:at[6]], known(part[3]), call[at[7]:at[12]], known(part[6]), call[at[13]:])
		}
		copies++
		var loads, stores bytes.Buffer
		access := func(out *bytes.Buffer, pointer, base, alignment []byte, m member, k int, side string) (place string, align int) {
			place = fmt.Sprintf("%%member.%s.%d.%d", side, copies, k)
			fmt.Fprintf(out, "%s%s = getelementptr inbounds i8, %s %s, i64 %d%s\n", part[1], place, pointer, base, m.offset, part[9])
			for align = known(alignment); m.offset%align != 0; {
				align /= 2
			}
			return fmt.Sprintf("%s %s", pointer, place), align
		}
		for k, m := range members {
			value := fmt.Sprintf("%%member.%d.%d", copies, k)
			from, align := access(&loads, part[5], part[7], part[6], m, k, "from")
			fmt.Fprintf(&loads, "%s%s = load %s, %s, align %d%s\n", part[1], value, m.kind, from, align, part[9])
			to, align := access(&stores, part[2], part[4], part[3], m, k, "to")
			fmt.Fprintf(&stores, "%sstore %s %s, %s, align %d%s\n", part[1], m.kind, value, to, align, part[9])
		}
		return append(loads.Bytes(), bytes.TrimSuffix(stores.Bytes(), []byte("\n"))...)
	})
}

// vectorAlignment is the alignment of a built-in vector type, such as float4, of some bytes: nvcc takes it
// for granted, where clang goes by the array that a pointer is made from. 0 for other types. What is a member
// of a structure has no name here, and keeps clang's alignment, which a packed structure may lower.
func vectorAlignment(name string, size int) int {
	if vectorType.MatchString(name) {
		return min(size, 16)
	}
	return 0
}

// aligned gives arrays and structures at least the alignment of the largest vector, so that they can be
// accessed as one.
func aligned(code []byte) []byte { return aggregate.ReplaceAll(code, []byte("${1}16$2")) }

// typesOf reads the types of accesses: their numbers by those of tags, and their names by number.
func typesOf(code []byte) (tags, names map[string]string) {
	tags, names = map[string]string{}, map[string]string{}
	for _, t := range accessTag.FindAllSubmatch(code, -1) {
		tags[string(t[1])] = string(t[2])
	}
	for _, t := range typeName.FindAllSubmatch(code, -1) {
		names[string(t[1])] = string(t[2])
	}
	return tags, names
}

// membersOf reads the members of structures whose members are all scalars and none bit-fields, by the
// number of their description.
func membersOf(code []byte, tags, names map[string]string) map[string][]member {
	structures := map[string][]member{}
fields:
	for _, s := range structureFields.FindAllSubmatch(code, -1) {
		var members []member
		end := 0 // bit-fields are described as if each had the whole of its type
		words := strings.Split(string(s[2]), ", ")
		for ; len(words) >= 3; words = words[3:] {
			var m member
			fmt.Sscanf(strings.Join(words[:2], " "), "i64 %d i64 %d", &m.offset, &m.size)
			if m.kind = scalar(names[tags[strings.TrimPrefix(words[2], "!")]], m.size); m.kind == "" || m.offset < end {
				continue fields
			}
			end = m.end()
			members = append(members, m)
		}
		structures[string(s[1])] = members
	}
	return structures
}

// scalar is the intermediate code's type of a member, or nothing where the member is an array of more than
// a register.
func scalar(name string, size int) string {
	switch {
	case strings.Contains(name, "pointer") && size == 8:
		return "ptr"
	case name == "float" && size == 4, name == "double" && size == 8:
		return name
	case size == 1, size == 2, size == 4, size == 8:
		return fmt.Sprintf("i%d", 8*size)
	}
	return ""
}
