//! How the targets and lanes of an update are divided among blocks.

/// How work is divided among blocks: into tiles of lanes and parts of targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Division {
    pub(super) lanes: u64,
    pub(super) part: u64,
}

impl Division {
    /// Starts from tiles of at most `lanes` of `all_lanes`, with all of `targets`, and divides
    /// further until there are `blocks` tasks: first the lanes, in multiples of `lane_grain`, then
    /// the targets, in multiples of `target_grain`.
    pub(super) fn new(blocks: u64, outers: u64, lanes: (u64, u64, u64), targets: (u64, u64)) -> Self {
        let ((all_lanes, lanes, lane_grain), (targets, target_grain)) = (lanes, targets);
        let wanted = blocks.div_ceil(outers.max(1));
        let share = all_lanes.div_ceil(wanted.max(1)).next_multiple_of(lane_grain.max(1));
        let lanes = lanes.min(share).max(1);
        let tasks = outers.max(1).saturating_mul(all_lanes.div_ceil(lanes));
        let parts = blocks.div_ceil(tasks.max(1));
        let part =
            targets.div_ceil(parts.max(1)).next_multiple_of(target_grain.max(1)).clamp(1, targets.max(1));
        Self { lanes, part }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_are_divided_before_targets() {
        let division = |blocks, outers, lanes, targets| Division::new(blocks, outers, lanes, targets);
        // 48 blocks, 12,288 columns in pieces of 128: two pieces each.
        assert_eq!(division(48, 1, (12_288, 4096, 128), (1000, 1)), Division { lanes: 256, part: 1000 });
        // 64 columns in one piece: the targets are divided.
        assert_eq!(division(48, 1, (64, 64, 128), (1000, 1)), Division { lanes: 64, part: 21 });
        assert_eq!(division(48, 100, (64, 64, 128), (1000, 1)), Division { lanes: 64, part: 1000 });
        assert_eq!(division(2, 1, (1, 1, 1), (0, 1)), Division { lanes: 1, part: 1 });
    }
}
