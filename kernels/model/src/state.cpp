// The state of a core that instructions depend on: the vector mask and atomic accumulation.

#include "core.h"

namespace ascendc_model {

void Core::set_mask(uint64_t high, uint64_t low, MaskOwner owner, const Site& site)
{
    mask[0] = low;
    mask[1] = high;
    mask_owner = owner;
    mask_site = site;
}

void set_vector_mask(uint64_t high, uint64_t low, const Site& site)
{
    core().set_mask(high, low, Core::MaskOwner::Kernel, site);
}

void set_mask_mode(AscendC::MaskMode mode, const Site& site)
{
    core().mask_mode = mode;
    core().mask_mode_site = site;
}

void set_atomic(AtomicOp op, Type type, const Site& site)
{
    Core& at = core();
    const bool known = op == AtomicOp::None || type == Type::S8 || type == Type::S16 || type == Type::S32 ||
        type == Type::F16 || type == Type::BF16 || type == Type::F32;
    if (!known) {
        at.report(
            Rule::DataType, site, {"S", "", 0}, "atomic accumulation has int8, int16, int32, half, bfloat16 and float");
        return;
    }
    at.atomic = op;
    at.atomic_type = type;
    at.atomic_site = site;
}

} // namespace ascendc_model
