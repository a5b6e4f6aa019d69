package metrics

import (
	"errors"
	"fmt"
)

// SMAreaSource says where the points of SMAreaPercent, and HeteroCorePrinted, are from.
const SMAreaSource = "Zhao et al., HeteroCore, IEEE TPDS 2019, section 6.2 (GPUWattch)"

// HeteroCorePrinted are the paper's figures of area and energy for its GPU with eight big and
// eight small SMs, in per cent over a GPU of 16 baseline SMs (6.2). SMs is 6.9 - 3.1, the sum
// over one SM of each kind; over eight and eight the SMs' area is (6.9 - 3.1) / 2 = 1.9 %
// more, the figure that we use. Chip follows from SMs if they fill 47 % of the chip, and from
// 1.9 if 95 %. EPIHomogeneous is "energy-neutral"; EPIOfOthers follows from the other two.
var HeteroCorePrinted = struct {
	BigSM          float64 `json:"big_sm"`
	SmallSM        float64 `json:"small_sm"`
	SMs            float64 `json:"sms"`
	Chip           float64 `json:"chip"`
	Power          float64 `json:"power"`
	EPIMixed       float64 `json:"epi_heterogeneous"` // energy per instruction of mixes of a thick and a lean kernel
	EPIHomogeneous float64 `json:"epi_homogeneous"`
	EPI            float64 `json:"epi_all"`
}{6.9, -3.1, 3.8, 1.8, 4.1, -11.2, 0, -7.2}

// SMAreaPercent is the difference of an SM's area from a baseline SM's, in per cent, if its
// registers, shared memory, warp and thread-block slots are scale times the baseline's. It is
// the only parabola through the paper's points, -3.1 at 1/2, 0 at 1 and 6.9 at 3/2; values at
// other scales are ours.
func SMAreaPercent(scale float64) float64 {
	d := scale - 1
	return 10*d + 7.6*d*d
}

// SMAreaOfKind is the area of the SMs of one kind.
type SMAreaOfKind struct {
	Kind      string  `json:"kind"`
	SMs       int     `json:"sms"`
	WarpSlots int     `json:"warp_slots"` // of an SM
	Scale     float64 `json:"scale"`      // its warp slots over a baseline SM's, which stand for all that is scaled
	Percent   float64 `json:"percent"`    // of an SM, over a baseline SM's
	Printed   bool    `json:"printed"`    // the paper prints the percentage; else the parabola gives it
}

// SMArea is the area of all SMs of a GPU.
type SMArea struct {
	BaseWarpSlots int            `json:"base_warp_slots"` // of a baseline SM
	Kinds         []SMAreaOfKind `json:"kinds"`
	// Percent is of all SMs, over as many baseline SMs.
	Percent float64 `json:"percent"`
}

// SMAreaOf completes kinds with given name, number and warp slots. All numbers must be at
// least 1.
func SMAreaOf(baseWarpSlots int, kinds []SMAreaOfKind) (SMArea, error) {
	if baseWarpSlots < 1 {
		return SMArea{}, fmt.Errorf("warp slots of a baseline SM are %d: must be at least 1", baseWarpSlots)
	}
	if len(kinds) == 0 {
		return SMArea{}, errors.New("no kind of SM is given: at least one must be")
	}
	area, sum, sms := SMArea{BaseWarpSlots: baseWarpSlots}, 0.0, 0
	for _, k := range kinds {
		if k.SMs < 1 || k.WarpSlots < 1 {
			return SMArea{}, fmt.Errorf("kind %s has %d SMs of %d warp slots: both must be at least 1", k.Kind, k.SMs, k.WarpSlots)
		}
		k.Scale = float64(k.WarpSlots) / float64(baseWarpSlots)
		k.Percent = SMAreaPercent(k.Scale)
		k.Printed = k.Scale == 0.5 || k.Scale == 1.5
		area.Kinds = append(area.Kinds, k)
		sum += float64(k.SMs) * k.Percent
		sms += k.SMs
	}
	area.Percent = sum / float64(sms)
	return area, nil
}

// WithSMArea returns the energies of a GPU with larger or smaller SMs, by percent: their idle
// power is proportional to their area (choice).
func (c Energies) WithSMArea(percent float64) Energies {
	c.SMPower *= 1 + percent/100
	return c
}

// EnergyPerInstruction is the joules that a thread instruction took on average, all
// tenants' counted. It is not defined without instructions.
func (c *Energies) EnergyPerInstruction(e Events) float64 {
	return quotient(c.Energy(e), e.Instructions)
}

// EPIOfOthers is the mean over the mixes outside a part, from the means over all and over the
// part: the paper's 66 pairs and its 36 heterogeneous ones leave -2.4 % for the 30 homogeneous
// pairs, which it calls neutral. The part must not be all.
func EPIOfOthers(all, part float64, mixes, inPart int) float64 {
	return (float64(mixes)*all - float64(inPart)*part) / float64(mixes-inPart)
}

// MoreInstructions is the gain in instructions, in per cent, of a GPU in the same time with
// this much more power, and this much more energy for each instruction, both in per cent; epi
// must not be -100.
func MoreInstructions(power, epi float64) float64 {
	return 100 * ((1+power/100)/(1+epi/100) - 1)
}
