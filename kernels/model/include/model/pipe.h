// TPipe, the queues and TBuf: the buffers of UB and the events that guard them.
#pragma once

#include "tensor.h"

namespace ascendc_model {

constexpr bool is_vector_position(AscendC::TPosition position)
{
    return position == AscendC::TPosition::VECIN || position == AscendC::TPosition::VECOUT ||
        position == AscendC::TPosition::VECCALC;
}

constexpr const char* name_of(AscendC::TPosition position)
{
    return position == AscendC::TPosition::VECIN ? "VECIN"
        : position == AscendC::TPosition::VECOUT ? "VECOUT"
                                                 : "VECCALC";
}

} // namespace ascendc_model

namespace AscendC {

/// A queue whose buffers pass from one pipe to another, ordered by the events that its two
/// positions imply.
template <TPosition src, TPosition dst, int32_t depth, auto mask = 0> class TQueBind {
    static_assert(src == TPosition::GM || ascendc_model::is_vector_position(src), "the model has GM and UB only");
    static_assert(dst == TPosition::GM || ascendc_model::is_vector_position(dst), "the model has GM and UB only");
    static_assert(src != TPosition::GM || dst != TPosition::GM, "a queue lives in UB");
    static_assert(depth >= 1 && depth <= 64, "the depth of a queue is 1 to 64");
    static_assert(mask == 0, "the model has no data format in a queue");

public:
    static constexpr bool isTQue = true;

    __aicore__ inline TQueBind()
    {
        constexpr bool in = src == TPosition::GM;
        constexpr bool out = dst == TPosition::GM;
        state_.depth = depth;
        state_.filled = in ? HardEvent::MTE2_V : out ? HardEvent::V_MTE3 : HardEvent::MTE2_MTE3;
        state_.freed = in ? HardEvent::V_MTE2 : out ? HardEvent::MTE3_V : HardEvent::MTE3_MTE2;
        state_.position = ascendc_model::name_of(out ? src : dst);
    }

    template <typename T> __aicore__ inline LocalTensor<T> AllocTensor(Site site = Site::here())
    {
        return LocalTensor<T>(ascendc_model::alloc_tensor(state_, site));
    }
    template <typename T> __aicore__ inline void FreeTensor(LocalTensor<T>& tensor, Site site = Site::here())
    {
        ascendc_model::free_tensor(state_, tensor.local(), site);
    }
    template <typename T> __aicore__ inline bool EnQue(const LocalTensor<T>& tensor, Site site = Site::here())
    {
        return ascendc_model::enque(state_, tensor.local(), site);
    }
    template <typename T> __aicore__ inline LocalTensor<T> DeQue(Site site = Site::here())
    {
        return LocalTensor<T>(ascendc_model::deque(state_, site));
    }

    __aicore__ inline bool VacantInQue() { return state_.queued < state_.depth; }
    __aicore__ inline bool HasTensorInQue() { return state_.queued > 0; }
    __aicore__ inline int32_t GetTensorCountInQue() { return state_.queued; }

private:
    friend class TPipe;
    ascendc_model::QueueState state_;
};

template <TPosition pos, int32_t depth, auto mask = 0>
class TQue : public TQueBind<pos == TPosition::VECIN ? TPosition::GM : pos,
                 pos == TPosition::VECIN ? TPosition::VECIN : TPosition::GM, depth, mask> {
    static_assert(pos == TPosition::VECIN || pos == TPosition::VECOUT, "a TQue of a vector core is VECIN or VECOUT");
};

/// A buffer without events: its user must order the pipes.
template <TPosition pos = TPosition::LCM> class TBuf {
    static_assert(ascendc_model::is_vector_position(pos), "the model has UB only");

public:
    static constexpr bool isTQue = false;

    __aicore__ inline TBuf() = default;

    template <typename T> __aicore__ inline LocalTensor<T> Get() { return LocalTensor<T>(local_); }
    /// The first `len` elements.
    template <typename T> __aicore__ inline LocalTensor<T> Get(uint32_t len, Site site = Site::here())
    {
        return GetWithOffset<T>(len, 0, site);
    }
    /// `size` elements from byte `bufOffset` on.
    template <typename T>
    __aicore__ inline LocalTensor<T> GetWithOffset(uint32_t size, uint32_t bufOffset, Site site = Site::here())
    {
        return LocalTensor<T>(ascendc_model::part_of(local_, bufOffset, uint64_t(size) * sizeof(T), site));
    }

private:
    friend class TPipe;
    ascendc_model::Local local_;
};

class TPipe {
public:
    __aicore__ inline TPipe(Site site = Site::here()) { ascendc_model::pipe_begin(this, site); }
    TPipe(const TPipe&) = delete;
    TPipe& operator=(const TPipe&) = delete;
    __aicore__ inline ~TPipe() { Destroy(); }

    template <class T>
    __aicore__ inline bool InitBuffer(T& que, ascendc_model::Given num, uint32_t len, Site site = Site::here())
    {
        static_assert(T::isTQue, "a TBuf has one buffer");
        ascendc_model::init_queue(que.state_, num.as<uint8_t>("num", site), len, site);
        return true;
    }

    template <TPosition pos> __aicore__ inline bool InitBuffer(TBuf<pos>& buf, uint32_t len, Site site = Site::here())
    {
        buf.local_ = ascendc_model::init_buffer(len, ascendc_model::name_of(pos), site);
        return true;
    }

    template <HardEvent evt> __aicore__ inline TEventID AllocEventID(Site site = Site::here())
    {
        return static_cast<TEventID>(ascendc_model::alloc_event(evt, site));
    }
    template <HardEvent evt> __aicore__ inline void ReleaseEventID(TEventID id, Site site = Site::here())
    {
        ascendc_model::release_event(evt, id, site);
    }
    template <HardEvent evt> __aicore__ inline TEventID FetchEventID(Site site = Site::here())
    {
        return static_cast<TEventID>(ascendc_model::fetch_event(evt, site));
    }
    __aicore__ inline TEventID FetchEventID(HardEvent evt, Site site = Site::here())
    {
        return static_cast<TEventID>(ascendc_model::fetch_event(evt, site));
    }

    /// Waits for the flags of freed buffers, then for every pipe.
    __aicore__ inline void Destroy()
    {
        if (!destroyed_) {
            destroyed_ = true;
            ascendc_model::pipe_end();
        }
    }

private:
    bool destroyed_ = false;
};

} // namespace AscendC

/// The TPipe that the block created last. Outside the namespace, as in the real headers.
__aicore__ inline AscendC::TPipe* GetTPipePtr(AscendC::Site site = AscendC::Site::here())
{
    return static_cast<AscendC::TPipe*>(ascendc_model::current_pipe(site));
}
