/* The names that clients of CANN link and host-cann does not have: whoever calls one is told so. As a
 * client's libraries are, this is compiled for the older std::string. */
#define _GLIBCXX_USE_CXX11_ABI 0

#include <cstdint>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>

#include "check.h"

namespace ge {
class AscendString;
class Operator {
public:
    explicit Operator(const std::string& type);
};
class OperatorCreatorRegister {
public:
    OperatorCreatorRegister(const char* name, const std::function<Operator(const AscendString&)>& creator);
};
class StatusFactory {
public:
    static StatusFactory* Instance();
    std::map<std::uint32_t, std::string> texts;
};
}  // namespace ge

extern "C" int rtKernelLaunch();
extern "C" int HcclSetConfig(int setting, std::int32_t value);

#define CHECK(condition)            \
    do {                            \
        if (!(condition)) {         \
            FAIL("%s", #condition); \
        }                           \
    } while (0)

template <typename Call>
static std::string said(Call call)
{
    try {
        call();
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return "nothing";
}

int main()
{
    const std::string of_cpp = said([] { ge::Operator made("Add"); });
    CHECK(of_cpp == "host-cann does not implement ge::Operator::Operator(std::string const&)");
    const std::string of_c = said([] { rtKernelLaunch(); });
    CHECK(of_c == "host-cann does not implement rtKernelLaunch");
    /* What libraries call while they are loaded. */
    const ge::OperatorCreatorRegister registered("Add", nullptr);
    ge::StatusFactory::Instance()->texts[7] = "seven";
    CHECK(ge::StatusFactory::Instance()->texts.at(7) == "seven");
    CHECK(HcclSetConfig(0, 1) == 0);
    CHECK(HcclSetConfig(0, 3) != 0 && HcclSetConfig(1, 0) != 0);
    return 0;
}
