// The kernels on the host model as a library that is loaded like a device library. Its user has no
// way to get the model's reports, so they are printed to stderr.
#include <stdio.h>
#include <stdlib.h>

#include "../../launch.h"
#include "ascendc_model.h"
#include "deleted.h"

namespace {

int32_t Told(int32_t code)
{
    char text[1 << 14] = "";
    if (code != 0) {
        ascendc_model_report_text(text, sizeof(text));
        fprintf(stderr, "\n%s", text); // a line of its own, after what a test harness has begun
    }
    return code;
}

int32_t Launch(const ScatterLaunch* launch, uint32_t kernel, const void* tiling)
{
    return Told(scatter_kernels_host_model()->launch(launch, kernel, tiling));
}

} // namespace

bool Deleted(int number)
{
    static const int deleted = [] {
        const char* text = getenv("SCATTER_TEST_DELETED");
        return text ? atoi(text) : 0;
    }();
    return number == deleted;
}

extern "C" const ScatterKernels* scatter_kernels(void)
{
    static const ScatterKernels kernels = [] {
        ScatterKernels model = *scatter_kernels_host_model();
        model.launch = Launch;
        return model;
    }();
    return &kernels;
}
