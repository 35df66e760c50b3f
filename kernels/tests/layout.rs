//! The tiling structs are the same in Rust and in C++.

use std::mem::{align_of, offset_of, size_of};

use scatter_kernels::tiling::{
    Axis, Box2, CopyTiling, ElementsTiling, GatherTiling, IndexTiling, RowsTiling, Status, TargetAxis,
    Tiling, WindowsTiling,
};

unsafe extern "C" {
    fn scatter_test_layout(count: *mut u64) -> *const u64;
}

fn size_of_field<S, T>(_: impl Fn(&S) -> &T) -> u64 {
    size_of::<T>() as u64
}

macro_rules! layout {
    ($($struct:ident: $($field:ident)*;)*) => {
        vec![$(
            ("size of", stringify!($struct), size_of::<$struct>() as u64),
            ("alignment of", stringify!($struct), align_of::<$struct>() as u64),
            $(
                (stringify!($struct), stringify!($field), offset_of!($struct, $field) as u64),
                ("size of", stringify!($field), size_of_field(|of: &$struct| &of.$field)),
            )*
        )*]
    };
}

#[test]
fn the_tilings_are_the_same_in_cpp() {
    let mut count = 0;
    // SAFETY: the function returns an array of `count` words that is never freed.
    let cpp = unsafe {
        let words = scatter_test_layout(&mut count);
        std::slice::from_raw_parts(words, count as usize)
    };
    let rust = layout! {
        Axis: size out index src position;
        TargetAxis: size out;
        Box2: gm ub element run bytes reserved;
        Tiling: dtype reduce include_self index_bytes out_offset index_offset src_offset outer_axes update_axes
            components target_axes outer update lane component target outers targets lane_tile lane_tiles target_part
            target_parts tasks runs chunk index_box src_box out_box line_shift lines slot_mask reserved counted has_value
            value told scaled window;
        IndexTiling: index_bytes components index_offset component outer_axes columns outer update outers padded chunks
            chunk values picks chunk_step sample block_step component_step integers
            sample_list;
        RowsTiling: dtype reduce include_self has_value value out_offset src_offset outer_axes told outer outers targets
            out_step updates src_step padded sample_at sample_step shares row piece group bits sample sampled
            sample_list scaled reserved;
        ElementsTiling: dtype reduce include_self index_bytes out_offset index_offset src_offset
            form told outer_axes update_axes outer update lane outers targets lane_tile
            lane_tiles target_part target_parts tasks runs chunk index_box src_box out_box held
            held_first held_target held_lane places place_update place_lane src_update src_lane
            piece counted has_value value;
        CopyTiling: out_offset self_offset outer_axes in_order zeros widened repeated reserved outer step tile tiles tasks self_box out_box;
        GatherTiling: form index_bytes out_offset index_offset src_offset outer_axes update_axes outer update lane
            targets target_step lane_tile lane_tiles tasks chunk index_box src_box out_box group by_scalar places held
            told reserved;
        WindowsTiling: index_bytes components out_offset index_offset src_offset entry component extent unit along
            outer_axes outer step tile tiles pieces tasks chunk entries may_meet is_bool index_box src_box out_box;
        Status: position value columns_differ reserved;
    };
    assert_eq!(rust.len(), cpp.len());
    for (rust, cpp) in rust.iter().zip(cpp) {
        assert_eq!(rust.2, *cpp, "{} {}", rust.0, rust.1);
    }
    // Kernel arguments are copied with every launch.
    assert!(size_of::<Tiling>().max(size_of::<ElementsTiling>()) <= 2048, "{}", size_of::<Tiling>());
}
