package tenant

import "fmt"

// Marks are letters that tell tenants apart whose applications have one name, in
// the order of the tenants; "" for one whose name no other has. They are
// letters because Perfetto does not look at digits when it chooses a colour by a
// name.
func Marks(names []string) []string {
	count, seen := map[string]int{}, map[string]int{}
	for _, n := range names {
		count[n]++
	}
	marks := make([]string, len(names))
	for i, n := range names {
		if count[n] > 1 {
			marks[i] = string(rune('a' + seen[n]))
			seen[n]++
		}
	}
	return marks
}

// Marked is a name with a tenant's mark: sgemm (b).
func Marked(name, mark string) string {
	if mark == "" {
		return name
	}
	return fmt.Sprintf("%s (%s)", name, mark)
}
