//! Sizes, alignments and offsets by number, and what the types are.

mod common;

use static_assertions::{assert_eq_size, assert_impl_all, assert_not_impl_any};

assert_eq_size!(aclnn_sys::AclError, i32);
assert_eq_size!(aclnn_sys::AclnnStatus, i32);
assert_eq_size!(aclnn_sys::aclDataType, i32);
assert_eq_size!(aclnn_sys::aclFormat, i32);
assert_eq_size!(aclnn_sys::aclrtMemMallocPolicy, u32);
assert_eq_size!(aclnn_sys::aclrtStream, usize);
assert_eq_size!(aclnn_sys::aclrtHostFunc, usize);

#[cfg(feature = "loader")]
assert_impl_all!(aclnn_sys::Cann: Send, Sync, std::fmt::Debug);
#[cfg(feature = "loader")]
assert_impl_all!(aclnn_sys::LoadError: Send, Sync, Clone, std::error::Error);
assert_impl_all!(aclnn_sys::AclError: Send, Sync, Copy, Eq, std::hash::Hash, std::fmt::Display);

macro_rules! opaque {
    ($($name:ident)*) => {
        $(assert_not_impl_any!(aclnn_sys::$name: Send, Sync, Unpin, Clone);)*
    };
}
opaque! {
    aclTensor aclScalar aclIntArray aclFloatArray aclBoolArray aclTensorList aclScalarList aclOpExecutor
    aclrtStreamOpaque aclrtEventOpaque aclrtContextOpaque aclrtDrvMemHandleOpaque aclmdlRIOpaque
    aclrtTaskGrpOpaque aclDataBuffer aclTensorDesc aclopAttr aclmdlDesc aclmdlDataset aclprofConfig
    acltdtChannelHandle acltdtDataset acltdtDataItem
    aclrtExceptionInfo aclrtUtilizationExtendInfo
}

#[test]
fn sizes_and_offsets_are_those_of_a_64_bit_target() {
    let expected: &[(&str, usize, usize, &[usize])] = &[
        ("aclrtMallocAttrValue", 8, 4, &[0, 0, 0, 0]),
        ("aclrtMallocAttribute", 12, 4, &[0, 4]),
        ("aclrtMallocConfig", 16, 8, &[0, 8]),
        ("aclrtStreamAttrValue", 16, 8, &[0, 0, 0, 0, 0, 0]),
        ("aclrtUtilizationInfo", 24, 8, &[0, 4, 8, 12, 16]),
        ("aclrtMemUsageInfo", 112, 8, &[0, 32, 40, 48]),
        ("aclrtMemLocation", 8, 4, &[0, 4]),
        ("aclrtPtrAttributes", 28, 4, &[0, 8, 12]),
        ("aclrtPhysicalMemProp", 32, 8, &[0, 4, 8, 12, 24]),
        ("aclrtIpcEventHandle", 64, 1, &[0]),
        ("aclrtMemUceInfo", 128, 8, &[0, 8, 16]),
        ("aclrtMemUceInfoArray", 2568, 8, &[0, 8]),
        ("aclrtErrorInfoDetail", 2568, 8, &[0, 0]),
        ("aclrtErrorInfo", 2576, 8, &[0, 1, 2, 4, 8]),
        ("aclCANNPackageVersion", 512, 1, &[0, 128, 192, 256, 320, 384]),
        ("aclmdlIODims", 1160, 8, &[0, 128, 136]),
        ("aclmdlBatch", 1032, 8, &[0, 8]),
        ("aclmdlHW", 2056, 8, &[0, 8]),
        ("aclnnScatterStatusInfo", 152, 8, &[0, 4, 8, 72, 80, 88]),
        ("hostcannRange", 40, 8, &[0, 8, 16, 24, 32]),
        ("hostcannExecutorCalls", 24, 8, &[0, 8, 16]),
        ("hostcannExtension", 88, 8, &[0, 4, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80]),
    ];
    let found = common::layouts();
    assert_eq!(found.len(), expected.len());
    for (layout, (name, size, align, offsets)) in found.iter().zip(expected) {
        let fields: Vec<usize> = layout.fields.iter().map(|(_, offset)| *offset).collect();
        assert_eq!((layout.name, layout.size, layout.align, &fields[..]), (*name, *size, *align, *offsets));
    }
}

#[test]
fn every_struct_is_in_the_list_of_layouts() {
    let text = include_str!("../src/generated/bindings.rs");
    let plain = text.matches("\npub union ").count()
        + text
            .split("\npub struct ")
            .skip(1)
            .filter(|item| !item.lines().next().unwrap().contains('('))
            .count()
        - text.matches("    _data: [u8; 0],").count();
    assert_eq!(plain, common::layouts().len());
}
