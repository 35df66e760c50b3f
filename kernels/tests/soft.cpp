// The arithmetic in software, for its tests in Rust.
#include "../scatter/soft_float.h"

using soft::BFloat16;
using soft::Binary16;
using soft::Binary32;
using soft::Binary64;

extern "C" {

uint64_t scatter_test_soft_add(uint64_t a, uint64_t b)
{
    return soft::Add<Binary64>(a, b);
}

uint64_t scatter_test_soft_mul(uint64_t a, uint64_t b)
{
    return soft::Mul<Binary64>(a, b);
}

uint32_t scatter_test_soft_less(uint64_t a, uint64_t b)
{
    return soft::Less<Binary64>(a, b) ? 1 : 0;
}

uint64_t scatter_test_soft_mean_f64(uint64_t sum, uint32_t count)
{
    return soft::DivideByCount<Binary64, Binary64>(sum, count);
}

uint64_t scatter_test_soft_mean_f32(uint64_t sum, uint32_t count)
{
    return soft::DivideByCount<Binary32, Binary32>(sum, count);
}

uint64_t scatter_test_soft_mean_f16(uint64_t sum, uint32_t count)
{
    return soft::DivideByCount<Binary32, Binary16>(sum, count);
}

uint64_t scatter_test_soft_mean_bf16(uint64_t sum, uint32_t count)
{
    return soft::DivideByCount<Binary32, BFloat16>(sum, count);
}

uint64_t scatter_test_soft_widen_f16(uint64_t bits)
{
    return soft::Widen<Binary16, Binary32>(bits);
}

} // extern "C"
