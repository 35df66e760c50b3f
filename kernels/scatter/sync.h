// Order between the pipes of one core.
#pragma once

#include "kernel_operator.h"

/// Has the target pipe of `event` start what it is given after this call when its source pipe has
/// finished what it was given before.
template <AscendC::HardEvent event>
__aicore__ inline void Order()
{
    auto id = static_cast<event_t>(GetTPipePtr()->FetchEventID(event));
    AscendC::SetFlag<event>(id);
    AscendC::WaitFlag<event>(id);
}

/// The flags of a double buffer: for each of its two buffers, one from the source pipe of `event`
/// to the target pipe.
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

    /// The target pipe waits for the source pipe to be done with buffer `turn`, if `Set` was called
    /// for it since the last wait.
    __aicore__ inline void Wait(uint32_t turn)
    {
        if (set_[turn]) {
            AscendC::WaitFlag<event>(id_[turn]);
            set_[turn] = false;
        }
    }

    /// Waits for the flags that were set and not waited for, so that none is left for the next
    /// kernel.
    __aicore__ inline void Drain()
    {
        Wait(0);
        Wait(1);
    }

private:
    event_t id_[2];
    bool set_[2];
};
