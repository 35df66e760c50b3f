// Reports as text.

#include "ascendc_model.h"
#include "core.h"

namespace ascendc_model {

std::string text_of(const Site& site)
{
    return site.line == 0 ? "a line too long ago to tell" : std::string(site.file) + ":" + std::to_string(site.line);
}

std::string Report::text() const
{
    std::string out = rule + ": ";
    if (line != 0) {
        out += file + ":" + std::to_string(line) + ": ";
    }
    out += "block " + std::to_string(block);
    if (!pipe.empty()) {
        out += ", pipe " + pipe;
    }
    if (!tensor.empty()) {
        out += ", " + tensor + "+" + std::to_string(offset);
    }
    return out + ": " + detail;
}

std::string Outcome::text() const
{
    std::string out;
    for (const Report& report : reports) {
        out += report.text() + "\n";
    }
    if (total_reports > reports.size()) {
        out += "and " + std::to_string(total_reports - reports.size()) + " more\n";
    }
    return out;
}

} // namespace ascendc_model
