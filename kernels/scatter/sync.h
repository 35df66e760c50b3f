// Order between the pipes of one core.
#pragma once

#include "kernel_operator.h"

/// What the target pipe of `event` does from here on comes after what its source pipe was given until here.
template <AscendC::HardEvent event>
__aicore__ inline void Order()
{
    auto id = static_cast<event_t>(GetTPipePtr()->FetchEventID(event));
    AscendC::SetFlag<event>(id);
    AscendC::WaitFlag<event>(id);
}

/// Two buffers that take turns: a flag of each is passed from the source pipe of `event` to the target pipe.
template <AscendC::HardEvent event>
class Turns {
public:
    __aicore__ inline Turns()
    {
        for (uint32_t turn = 0; turn < 2; turn++) {
            id_[turn] = static_cast<event_t>(GetTPipePtr()->AllocEventID<event>());
            set_[turn] = false;
        }
    }

    /// The source pipe is done with buffer `turn`.
    __aicore__ inline void Set(uint32_t turn)
    {
        AscendC::SetFlag<event>(id_[turn]);
        set_[turn] = true;
    }

    /// The target pipe waits for the source pipe to be done with buffer `turn`, if it was ever told to be.
    __aicore__ inline void Wait(uint32_t turn)
    {
        if (set_[turn]) {
            AscendC::WaitFlag<event>(id_[turn]);
            set_[turn] = false;
        }
    }

    /// Waits for what was set and not waited for, so that no flag is left for the next kernel.
    __aicore__ inline void Drain()
    {
        Wait(0);
        Wait(1);
    }

private:
    event_t id_[2];
    bool set_[2];
};
