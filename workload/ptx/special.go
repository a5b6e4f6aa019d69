package ptx

import "strings"

// SpecialRegister numbers the read-only registers that tell a thread where it
// is. It is the Imm of an Operand of kind Special.
type SpecialRegister uint64

// The special registers; all have 32 bits but Clock64, GlobalTimer, GridID and
// CurrentGraphExec.
const (
	TidX SpecialRegister = iota
	TidY
	TidZ
	NtidX
	NtidY
	NtidZ
	CtaidX
	CtaidY
	CtaidZ
	NctaidX
	NctaidY
	NctaidZ
	LaneID
	WarpID
	NWarpID
	SMID
	NSMID
	GridID
	LaneMaskEQ
	LaneMaskLE
	LaneMaskLT
	LaneMaskGE
	LaneMaskGT
	Clock
	ClockHi
	Clock64
	GlobalTimer
	GlobalTimerLo
	GlobalTimerHi
	TotalSharedSize
	DynamicSharedSize
	// CurrentGraphExec is 0: no kernel belongs to a graph that kernels may launch again.
	CurrentGraphExec
	// Of clusters.
	ClusteridX
	ClusteridY
	ClusteridZ
	NclusteridX
	NclusteridY
	NclusteridZ
	ClusterCtaidX
	ClusterCtaidY
	ClusterCtaidZ
	ClusterNctaidX
	ClusterNctaidY
	ClusterNctaidZ
	ClusterCtarank
	ClusterNctarank
	IsExplicitCluster // a predicate
	numSpecialRegisters
)

var specialNames = [numSpecialRegisters]string{
	"%tid.x", "%tid.y", "%tid.z", "%ntid.x", "%ntid.y", "%ntid.z",
	"%ctaid.x", "%ctaid.y", "%ctaid.z", "%nctaid.x", "%nctaid.y", "%nctaid.z",
	"%laneid", "%warpid", "%nwarpid", "%smid", "%nsmid", "%gridid",
	"%lanemask_eq", "%lanemask_le", "%lanemask_lt", "%lanemask_ge", "%lanemask_gt",
	"%clock", "%clock_hi", "%clock64", "%globaltimer", "%globaltimer_lo", "%globaltimer_hi",
	"%total_smem_size", "%dynamic_smem_size", "%current_graph_exec",
	"%clusterid.x", "%clusterid.y", "%clusterid.z", "%nclusterid.x", "%nclusterid.y", "%nclusterid.z",
	"%cluster_ctaid.x", "%cluster_ctaid.y", "%cluster_ctaid.z", "%cluster_nctaid.x", "%cluster_nctaid.y", "%cluster_nctaid.z",
	"%cluster_ctarank", "%cluster_nctarank", "%is_explicit_cluster",
}

// String writes the register as PTX does.
func (s SpecialRegister) String() string {
	if s < numSpecialRegisters {
		return specialNames[s]
	}
	return "invalid"
}

// Type is U32 or U64, or Pred of IsExplicitCluster.
func (s SpecialRegister) Type() Type {
	if s == Clock64 || s == GlobalTimer || s == GridID || s == CurrentGraphExec {
		return U64
	}
	if s == IsExplicitCluster {
		return Pred
	}
	return U32
}

// IsClock tells the registers that change while a warp runs.
func (s SpecialRegister) IsClock() bool { return s >= Clock && s <= GlobalTimerHi }

// IsPlace tells registers that change when a thread block moves to another SM.
func (s SpecialRegister) IsPlace() bool { return s == SMID || s == NSMID }

var specialByName = func() map[string]SpecialRegister {
	m := map[string]SpecialRegister{}
	for i, name := range specialNames {
		m[name] = SpecialRegister(i)
	}
	return m
}()

// isSpecial reports whether name, without a component such as .x, names a
// special register.
func isSpecial(name string) bool {
	_, ok := specialByName[name]
	if !ok {
		_, ok = specialByName[name+".x"]
	}
	return ok
}

// specialList is the text of all names, for messages.
func specialList() string { return strings.Join(specialNames[:], " ") }
