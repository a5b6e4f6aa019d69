package ptx

import "fmt"

// What Hopper added: barriers in memory, bulk copies, products of four warps, and clusters. The forms have
// .shared::cluster as .shared: see Inst.InCluster.
var hopperTable = []row{
	// Barriers in memory.
	{"mbarrier", "init shared? b64", "= a u"},
	{"mbarrier", "inval shared? b64", "= a"},
	{"mbarrier", "arrive|arrive_drop shared? b64", "1 = a u?"},
	{"mbarrier", "arrive|arrive_drop release|relaxed cta|cluster shared? b64", "1 = a u?"},
	{"mbarrier", "arrive|arrive_drop noComplete release? cta? shared? b64", "1 = a u"},
	{"mbarrier", "arrive|arrive_drop expect_tx shared? b64", "1 = a u"},
	{"mbarrier", "arrive|arrive_drop expect_tx release|relaxed cta|cluster shared? b64", "1 = a u"},
	{"mbarrier", "expect_tx|complete_tx shared? b64", "= a u"},
	{"mbarrier", "expect_tx|complete_tx relaxed cta|cluster shared? b64", "= a u"},
	{"mbarrier", "pending_count b64", "u = 1"},
	{"mbarrier", "test_wait shared? b64", "p = a 1"},
	{"mbarrier", "test_wait acquire|relaxed cta|cluster shared? b64", "p = a 1"},
	{"mbarrier", "try_wait shared? b64", "p = a 1 u?"},
	{"mbarrier", "try_wait acquire|relaxed cta|cluster shared? b64", "p = a 1 u?"},
	{"mbarrier", "test_wait parity shared? b64", "p = a u"},
	{"mbarrier", "test_wait parity acquire|relaxed cta|cluster shared? b64", "p = a u"},
	{"mbarrier", "try_wait parity shared? b64", "p = a u u?"},
	{"mbarrier", "try_wait parity acquire|relaxed cta|cluster shared? b64", "p = a u u?"},
	{"cp", "async mbarrier arrive noinc? shared? b64", "= a"},
	{"fence", "mbarrier_init release cluster", "="},
	{"fence", "proxy async|alias", "="},
	{"fence", "proxy async global|shared", "="},
	{"fence", "proxy tensormap::generic acquire scope", "= a n"},
	{"fence", "proxy tensormap::generic release scope", "="},
	{"fence", "acquire|release scope", "="},
	{"fence", "acquire|release sync_restrict::shared::cluster|sync_restrict::shared::cta cluster", "="},

	// Bulk copies.
	{"cp", "async bulk shared global mbarrier::complete_tx::bytes", "= s g u s"},
	{"cp", "async bulk shared global mbarrier::complete_tx::bytes L2::cache_hint", "= s g u s l"},
	{"cp", "async bulk shared global mbarrier::complete_tx::bytes multicast::cluster", "= s g u s h"},
	{"cp", "async bulk shared global mbarrier::complete_tx::bytes multicast::cluster L2::cache_hint", "= s g u s h l"},
	{"cp", "async bulk shared shared mbarrier::complete_tx::bytes", "= s s u s"},
	{"cp", "async bulk global shared bulk_group", "= g s u"},
	{"cp", "async bulk global shared bulk_group L2::cache_hint", "= g s u l"},
	{"cp", "async bulk prefetch L2 global", "= g u"},
	{"cp", "async bulk prefetch L2 global L2::cache_hint", "= g u l"},
	{"cp", "async bulk commit_group", "="},
	{"cp", "async bulk wait_group read?", "= n"},
	{"cp", "reduce async bulk shared shared mbarrier::complete_tx::bytes and|or|xor b32", "= s s u s"},
	{"cp", "reduce async bulk shared shared mbarrier::complete_tx::bytes inc|dec u32", "= s s u s"},
	{"cp", "reduce async bulk shared shared mbarrier::complete_tx::bytes add|min|max u32|s32|u64", "= s s u s"},
	{"cp", "reduce async bulk global shared bulk_group L2::cache_hint? and|or|xor b32|b64", "= g s u l?"},
	{"cp", "reduce async bulk global shared bulk_group L2::cache_hint? inc|dec u32", "= g s u l?"},
	{"cp", "reduce async bulk global shared bulk_group L2::cache_hint? add|min|max u32|s32|u64|s64", "= g s u l?"},
	{"cp", "reduce async bulk global shared bulk_group L2::cache_hint? add f32|f64", "= g s u l?"},
	{"cp", "reduce async bulk global shared bulk_group L2::cache_hint? add noftz f16|bf16", "= g s u l?"},
	{"cp", "reduce async bulk global shared bulk_group L2::cache_hint? min|max f16|bf16", "= g s u l?"},

	// Of boxes that a tensor map describes.
	{"cp", "async bulk tensor rank shared global tile? mbarrier::complete_tx::bytes", "= s t s"},
	{"cp", "async bulk tensor rank shared global tile? mbarrier::complete_tx::bytes L2::cache_hint", "= s t s l"},
	{"cp", "async bulk tensor rank shared global tile? mbarrier::complete_tx::bytes multicast::cluster", "= s t s h"},
	{"cp", "async bulk tensor rank shared global tile? mbarrier::complete_tx::bytes multicast::cluster L2::cache_hint", "= s t s h l"},
	{"cp", "async bulk tensor rank global shared tile? bulk_group", "= t s"},
	{"cp", "async bulk tensor rank global shared tile? bulk_group L2::cache_hint", "= t s l"},
	{"cp", "async bulk prefetch tensor rank L2 global tile?", "= t"},
	{"cp", "async bulk prefetch tensor rank L2 global tile? L2::cache_hint", "= t l"},
	{"cp", "reduce async bulk tensor rank global shared add|min|max|inc|dec|and|or|xor tile? bulk_group", "= t s"},
	{"cp", "reduce async bulk tensor rank global shared add|min|max|inc|dec|and|or|xor tile? bulk_group L2::cache_hint", "= t s l"},
	{"prefetch", "param|const? tensormap", "= a"},

	// Clusters.
	{"mapa", "shared? u32|u64", "1 = 1 u"},
	{"getctarank", "shared? u32|u64", "u = 1"},
	{"barrier", "cluster arrive release|relaxed? aligned?", "="},
	{"barrier", "cluster wait acquire? aligned?", "="},
	{"st", "async weak? shared mbarrier::complete_tx::bytes vec? b32|b64|u32|u64|s32|s64|f32|f64", "= a v s"},
	{"red", "async relaxed? cluster? shared mbarrier::complete_tx::bytes and|or|xor b32", "= a 1 s"},
	{"red", "async relaxed? cluster? shared mbarrier::complete_tx::bytes inc|dec u32", "= a 1 s"},
	{"red", "async relaxed? cluster? shared mbarrier::complete_tx::bytes add|min|max u32|s32|u64", "= a 1 s"},

	{"elect", "sync", "u|p = u"},
	{"setmaxnreg", "inc|dec sync aligned u32", "= n"},
	{"griddepcontrol", "wait|launch_dependents", "="},
	{"wgmma", "fence|commit_group sync aligned", "="},
	{"wgmma", "wait_group sync aligned", "= n"},
}

// warpgroupProducts are the forms of wgmma.mma_async, 64 rows by N columns, of A in registers or in shared
// memory. The results are among the sources, too, behind those of the text.
func warpgroupProducts() (rows []row) {
	for n := 8; n <= 256; n += 8 {
		for _, t := range []struct {
			depth        int
			types, typ   string
			results      int
			scales       string
			flips, flip1 string // transpositions of A and B, and of B alone
		}{
			{16, "f32 f16 f16", "f32", n / 2, " + +", " b b", " b"},
			{16, "f16 f16 f16", "b32", n / 4, " + +", " b b", " b"},
			{16, "f32 bf16 bf16", "f32", n / 2, " + +", " b b", " b"},
			{8, "f32 tf32 tf32", "f32", n / 2, " + +", "", ""},
			{32, "f32 e4m3|e5m2 e4m3|e5m2", "f32", n / 2, " + +", "", ""},
			{32, "f16 e4m3|e5m2 e4m3|e5m2", "b32", n / 4, " + +", "", ""},
			{32, "s32 s8|u8 s8|u8 satfinite?", "s32", n / 2, "", "", ""},
			{256, "s32 b1 b1 and popc", "s32", n / 2, "", "", ""},
		} {
			head := fmt.Sprintf("mma_async sync aligned m64n%dk%d %s", n, t.depth, t.types)
			results := fmt.Sprintf("{%d:%s} = ", t.results, t.typ)
			rows = append(rows, row{"wgmma", head, results + "l l !p" + t.scales + t.flips},
				row{"wgmma", head, results + "{4:b32} l !p" + t.scales + t.flip1})
		}
	}
	return rows
}
