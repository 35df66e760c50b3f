// Sort32 and MrgSort with a wrong operand, extent or order.

#include "planted.h"

using namespace AscendC;

namespace planted {

namespace {

constexpr uint32_t kKeys = 256;
constexpr uint32_t kWords = 2 * kKeys;

/// The keys 0, 1, 2, ... and their places, lists of 32 records of them, and room for as many.
struct Lists {
    TPipe pipe;
    TBuf<TPosition::VECCALC> memory[4];
    LocalTensor<float> keys;
    LocalTensor<uint32_t> places;
    LocalTensor<float> sorted;
    LocalTensor<float> to;

    explicit Lists(const Call& call, bool sort = true)
    {
        const uint32_t sizes[] = {kKeys, kKeys, kWords, kWords};
        for (uint32_t i = 0; i < 4; i++) {
            pipe.InitBuffer(memory[i], sizes[i] * sizeof(float));
        }
        keys = memory[0].Get<float>();
        places = memory[1].Get<uint32_t>();
        sorted = memory[2].Get<float>();
        to = memory[3].Get<float>();
        DataCopy(keys, input(call), kKeys);
        CreateVecIndex(memory[1].Get<int32_t>(), 0, kKeys);
        PipeBarrier<PIPE_V>();
        sync<HardEvent::MTE2_V>(pipe);
        if (sort) {
            Sort32(sorted, keys, places, kKeys / 32);
            PipeBarrier<PIPE_V>();
        }
    }

    /// The lists from `first` on, of 32 records each.
    MrgSortSrcList<float> lists(uint32_t first = 0) const
    {
        return MrgSortSrcList<float>(sorted[first], sorted[first + 64], sorted[first + 128], sorted[first + 192]);
    }

    /// The keys of records, without their indices.
    void send(const Call& call, const LocalTensor<float>& records, uint32_t count)
    {
        PipeBarrier<PIPE_V>();
        uint64_t kept = 0;
        GatherMask(keys, records, uint8_t(1), true, 2 * count, {1, 1, 8, 0}, kept);
        sync<HardEvent::V_MTE3>(pipe);
        DataCopyPad(output(call), keys, DataCopyExtParams(1, count * sizeof(float), 0, 0, 0));
    }
};

MrgSort4Info info(uint16_t length, uint16_t valid, uint16_t repeats = 1, bool suspends = false)
{
    const uint16_t lengths[] = {length, length, length, length};
    return MrgSort4Info(lengths, suspends, valid, repeats);
}

/// Lists of 32 that follow each other, merged by two, by three or by four: the largest is first.
template <uint32_t Largest, uint32_t Count> bool is_down_from(const float* out)
{
    for (uint32_t i = 0; i < Count; i++) {
        if (out[i] != static_cast<float>(Largest - i)) {
            return false;
        }
    }
    return true;
}

void no_such_lists(const Call& call)
{
    Lists use(call);
    MrgSort(use.to, use.lists(), info(32, call.broken ? 5 : 7));
    if (!call.broken) {
        use.send(call, use.to, 96);
    }
}

void list_too_long(const Call& call)
{
    Lists use(call);
    MrgSort(use.to, use.lists(), info(call.broken ? 4096 : 32, 3));
    if (!call.broken) {
        use.send(call, use.to, 64);
    }
}

void empty_list_that_ends_the_merge(const Call& call)
{
    Lists use(call);
    MrgSort(use.to, use.lists(), info(call.broken ? 0 : 32, 3, 1, true));
    if (!call.broken) {
        use.send(call, use.to, 32);
    }
}

void repeats_of_three_lists(const Call& call)
{
    Lists use(call);
    MrgSort(use.to, use.lists(), info(32, call.broken ? 7 : 15, 2));
    if (!call.broken) {
        use.send(call, use.to[256], 128);
    }
}

void repeats_of_lists_apart(const Call& call)
{
    Lists use(call);
    MrgSortSrcList<float> lists = use.lists();
    if (call.broken) {
        lists.src4 = use.sorted[256];
    }
    MrgSort(use.to, lists, info(32, 15, 2));
    if (!call.broken) {
        use.send(call, use.to, 128);
    }
}

void repeats_that_may_end_early(const Call& call)
{
    Lists use(call);
    MrgSort(use.to, use.lists(), info(32, 15, 2, call.broken));
    if (!call.broken) {
        use.send(call, use.to, 128);
    }
}

void counts_of_a_whole_merge(const Call& call)
{
    Lists use(call);
    MrgSort(use.to, use.lists(), info(32, 3, 1, !call.broken));
    uint16_t taken[4];
    GetMrgSortResult(taken[0], taken[1], taken[2], taken[3]);
    if (!call.broken) {
        use.send(call, use.to, static_cast<uint32_t>(taken[0] + taken[1]));
    }
}

void too_many_repeats_of_sort(const Call& call)
{
    Lists use(call, false);
    Sort32(use.sorted, use.keys, use.places, call.broken ? 256 : 1);
    if (!call.broken) {
        use.send(call, use.sorted, 32);
    }
}

void misaligned_records(const Call& call)
{
    Lists use(call, false);
    Sort32(use.sorted[call.broken ? 32 : 64], use.keys, use.places, 1);
    if (!call.broken) {
        use.send(call, use.sorted[64], 32);
    }
}

void misaligned_keys(const Call& call)
{
    Lists use(call, false);
    Sort32(use.sorted, use.keys[call.broken ? 8 : 0], use.places, 1);
    if (!call.broken) {
        use.send(call, use.sorted, 32);
    }
}

void half_a_record(const Call& call)
{
    Lists use(call);
    MrgSortSrcList<float> lists = use.lists();
    if (call.broken) {
        lists.src2 = use.sorted[65];
    }
    MrgSort(use.to, lists, info(31, 3));
    if (!call.broken) {
        use.send(call, use.to, 31);
    }
}

void merge_onto_a_list(const Call& call)
{
    Lists use(call);
    MrgSort(call.broken ? use.sorted[64] : use.to, use.lists(), info(32, 3));
    if (!call.broken) {
        use.send(call, use.to, 64);
    }
}

void sort_onto_the_keys(const Call& call)
{
    Lists use(call, false);
    Sort32(call.broken ? use.keys : use.sorted, use.keys, use.places, 1);
    if (!call.broken) {
        use.send(call, use.sorted, 32);
    }
}

void too_small_for_the_merge(const Call& call)
{
    Lists use(call);
    MrgSort(use.to[call.broken ? 400 : 384], use.lists(), info(32, 3));
    if (!call.broken) {
        use.send(call, use.to[384], 64);
    }
}

void what_follows_an_early_end(const Call& call)
{
    Lists use(call);
    MrgSort(use.to, use.lists(), info(32, 3, 1, true));
    use.send(call, use.to, call.broken ? 33 : 32);
}

void unsorted_list(const Call& call)
{
    Lists use(call);
    // The first 64 records are two lists, not one.
    MrgSort(use.to, MrgSortSrcList<float>(use.sorted[call.broken ? 0 : 256], use.sorted[256], use.sorted, use.sorted),
        info(call.broken ? 64 : 32, 3));
}

void merge_without_a_barrier(const Call& call)
{
    Lists use(call, false);
    Sort32(use.sorted, use.keys, use.places, 8);
    if (!call.broken) {
        PipeBarrier<PIPE_V>();
    }
    MrgSort(use.to, use.lists(), info(32, 15));
    use.send(call, use.to, 128);
}

void sort_without_a_flag(const Call& call)
{
    Lists use(call, false);
    sync<HardEvent::V_S>(use.pipe);
    use.places.SetValue(0, 7);
    if (!call.broken) {
        sync<HardEvent::S_V>(use.pipe);
    }
    Sort32(use.sorted, use.keys, use.places, 1);
    use.send(call, use.sorted, 32);
}

void sort_of_unwritten_keys(const Call& call)
{
    Lists use(call);
    Sort32(use.to, call.broken ? use.to[256] : use.keys, use.places, 1);
    if (!call.broken) {
        use.send(call, use.to, 32);
    }
}

} // namespace

std::vector<Bug> sorting_bugs()
{
    return {
        {"a validBit that does not exist", "parameter", 1, no_such_lists, is_down_from<95, 96>},
        {"a list of more than 4095 records", "parameter", 1, list_too_long, is_down_from<63, 64>},
        {"an empty list where the first to end ends all", "parameter", 1, empty_list_that_ends_the_merge,
            is_down_from<63, 32>},
        {"repeats of three lists", "parameter", 1, repeats_of_three_lists, is_down_from<255, 128>},
        {"repeats of lists that don't follow each other", "parameter", 1, repeats_of_lists_apart,
            is_down_from<127, 128>},
        {"repeats that may end early", "parameter", 1, repeats_that_may_end_early, is_down_from<127, 128>},
        {"the counts of a MrgSort that took all", "parameter", 1, counts_of_a_whole_merge, is_down_from<63, 32>},
        {"256 repeats of Sort32", "parameter", 1, too_many_repeats_of_sort, is_down_from<31, 32>},
        {"records of Sort32 not at 256 bytes", "alignment", 1, misaligned_records, is_down_from<31, 32>},
        {"keys of Sort32 not at 128 bytes", "alignment", 1, misaligned_keys, is_down_from<31, 32>},
        {"a list of MrgSort that begins within a record", "alignment", 1, half_a_record, is_down_from<63, 31>},
        {"a MrgSort onto one of its lists", "overlap", 1, merge_onto_a_list, is_down_from<63, 64>},
        {"a Sort32 onto its keys", "overlap", 1, sort_onto_the_keys, is_down_from<31, 32>},
        {"a MrgSort to less than its lists", "ub-bounds", 1, too_small_for_the_merge, is_down_from<63, 64>},
        {"what follows a MrgSort that ended early", "uninitialised-read", 1, what_follows_an_early_end,
            is_down_from<63, 32>},
        {"a Sort32 of what nothing wrote", "uninitialised-read", 1, sort_of_unwritten_keys, is_down_from<31, 32>},
        {"a list of MrgSort that is not sorted", "sort-order", 1, unsorted_list, nullptr},
        {"no barrier from Sort32 to MrgSort", "missing-barrier", 1, merge_without_a_barrier, is_down_from<127, 128>},
        {"no flag from the scalar unit to Sort32", "missing-flag", 1, sort_without_a_flag, is_down_from<31, 32>},
    };
}

} // namespace planted
