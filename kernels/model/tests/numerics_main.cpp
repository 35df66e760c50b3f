// Runs the checks of what instructions compute and what a launch returns.

#include "numerics.h"

int main()
{
    numerics::processes();
    numerics::arithmetic();
    numerics::casts();
    numerics::selection();
    numerics::movement();
    numerics::launching();
    numerics::order();
    numerics::costs();
    numerics::packing();
    numerics::sorting();
    numerics::accumulation();
    numerics::blocks();
    numerics::progressions();
    numerics::transposition();
    std::printf("%u failures\n", numerics::failures);
    return numerics::failures == 0 ? 0 : 1;
}
