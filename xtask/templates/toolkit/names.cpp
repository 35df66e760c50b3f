// Functions of CANN's lower layers and of its graph engine that clients of CANN link, but hardly
// ever call, and that host-cann doesn't have. A client's libraries can't be loaded without the
// names. Whoever calls one is told its name: it is printed, and thrown as an exception, which
// clients in C++ pass on to Python, and which ends a program that doesn't catch it.
//
// `names.inc` has a line NAME("symbol") for each; cargo xtask host-toolkit writes it from the lists
// in xtask/names. Built with the older std::string (_GLIBCXX_USE_CXX11_ABI=0), as CANN is.

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>

namespace {

[[noreturn]] void fail(const char* symbol)
{
    int status = 0;
    char* readable = abi::__cxa_demangle(symbol, nullptr, nullptr, &status);
    const std::string words = std::string("host-cann does not implement ") + (readable ? readable : symbol);
    std::free(readable);
    std::fprintf(stderr, "%s\n", words.c_str());
    throw std::runtime_error(words);
}

}  // namespace

#define JOINED_(first, second) first##second
#define JOINED(first, second) JOINED_(first, second)
#define NAME(symbol)                                             \
    extern "C" void JOINED(absent_, __LINE__)() __asm__(symbol); \
    void JOINED(absent_, __LINE__)()                             \
    {                                                            \
        fail(symbol);                                            \
    }
#include "names.inc"

// What is called when libraries are loaded, for real.

// ge::OperatorCreatorRegister: a constructor that adds a kind of operator to a registry. What would
// look into the registry, ge::OperatorFactory, is among the names above, so nothing is kept.
extern "C" void register_operator(void*, const char*, const void*) __asm__(
    "_ZN2ge23OperatorCreatorRegisterC1EPKcRKSt8functionIFNS_8OperatorERKNS_12AscendStringEEE");
void register_operator(void*, const char*, const void*) { }
extern "C" void register_operator_by_string(void*, const std::string*, const void*) __asm__(
    "_ZN2ge23OperatorCreatorRegisterC1ERKSsRKSt8functionIFNS_8OperatorES2_EE");
void register_operator_by_string(void*, const std::string*, const void*) { }

// ge::StatusFactory::Instance(): an object that begins with a map of error codes and their texts,
// into which callers insert by code of their own, perhaps until the end: it is never destroyed.
extern "C" void* status_factory() __asm__("_ZN2ge13StatusFactory8InstanceEv");
void* status_factory()
{
    static auto* const texts = new std::map<std::uint32_t, std::string>;
    return texts;
}

// aclAppLog: what clients write into the log of CANN, of which there is none. HOST_CANN_LOG=1
// prints it. It is here because Rust can't define functions with a variable number of arguments.
extern "C" void app_log(int level, const char* function, const char* file, std::uint32_t line, const char* format,
    ...) __asm__("aclAppLog");
void app_log(int level, const char* function, const char* file, std::uint32_t line, const char* format, ...)
{
    static const char* const wanted = std::getenv("HOST_CANN_LOG");
    if (wanted == nullptr || *wanted == '\0' || std::strcmp(wanted, "0") == 0 || format == nullptr) {
        return;
    }
    static const char* const levels[] = {"DEBUG", "INFO", "WARNING", "ERROR"};
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    std::fprintf(stderr, "[%s] %s:%u: %s: %s\n", level >= 0 && level < 4 ? levels[level] : "?", file ? file : "",
        static_cast<unsigned>(line), function ? function : "", text);
}

// HcclSetConfig, which clients look up: whether collectives are deterministic (setting 0, values 0
// to 2). There are no collectives, so any such value holds. Else it is HCCL_E_NOT_SUPPORT.
extern "C" int HcclSetConfig(int setting, std::int32_t value)
{
    if (setting == 0 && value >= 0 && value <= 2) {
        return 0;
    }
    std::fprintf(stderr, "host-cann does not implement HcclSetConfig(%d, %d)\n", setting, static_cast<int>(value));
    return 5;
}
