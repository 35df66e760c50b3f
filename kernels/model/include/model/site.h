// The lines of a kernel that issue instructions, and the integers that it passes, before they are
// narrowed.
#pragma once

#include <cstdint>
#include <type_traits>

namespace ascendc_model {

/// The kernel's line that issued an instruction. As a default argument it is the line of the call.
struct Site {
    const char* file = "";
    uint32_t line = 0;

    static constexpr Site here(const char* file = __builtin_FILE(), uint32_t line = __builtin_LINE())
    {
        return Site{file, line};
    }
};

/// Reports a value that its parameter cannot hold.
void report_narrowed(const char* parameter, uint64_t value, uint64_t most, const Site& site);

/// An integer as the kernel passes it, where the real headers have a narrower type that would
/// silently truncate it.
class Given {
public:
    template <typename T, typename = std::enable_if_t<std::is_integral_v<T>>>
    constexpr Given(T value) : value_(static_cast<uint64_t>(value))
    {
    }

    constexpr uint64_t value() const { return value_; }

    /// The value in the real type; a report if that is another value.
    template <typename T> constexpr T as(const char* parameter, const Site& site) const
    {
        const auto left = static_cast<T>(value_);
        if (left != value_) {
            report_narrowed(parameter, value_, static_cast<T>(-1), site);
        }
        return left;
    }

private:
    uint64_t value_;
};

} // namespace ascendc_model
