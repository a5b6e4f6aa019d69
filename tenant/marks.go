package tenant

import "fmt"

// Marks are letters that tell tenants with applications of one name apart, in the
// order of the tenants; "" for a unique name. They are letters because Perfetto
// ignores digits when it derives a colour from a name.
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
