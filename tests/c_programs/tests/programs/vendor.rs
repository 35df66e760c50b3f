//! Tests with a CANN without host-cann's extension that has operators of its own (the vendor's).
//! They count their calls, which shows when they are used.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use xtask::vendor_operators;

use crate::other_cann::{kernels, without};
use crate::program::{Program, Run, USUAL};
use crate::{machine, tree};

/// The library that stands in for CANN's own operators, built once.
pub(crate) fn vendor() -> &'static Path {
    static VENDOR: LazyLock<PathBuf> = LazyLock::new(|| vendor_operators(&machine::build()).unwrap());
    &VENDOR
}

/// Sets the variables with which a program finds a CANN of these libraries, in this order, without
/// the extension.
fn on_vendor(command: &mut Command, before: Option<&Path>) {
    let cann = tree::path().join("lib64/libascendcl.so");
    let libraries = before.into_iter().chain([vendor(), &cann]);
    command.env("ACLNN_LIBRARY_PATH", std::env::join_paths(libraries).unwrap());
    command.env("HOST_CANN_SOC", "Ascend910B1").env("HOST_CANN_HOST_ACCESS", "0");
}

/// Runs a program on the vendor's CANN, and counts the calls of its functions.
fn counted(program: &Program, change: impl FnOnce(&mut Command)) -> (Run, BTreeMap<String, u64>) {
    counts_of(program, |command| {
        on_vendor(command, None);
        change(command);
    })
}

/// Runs a program, and counts the calls of the vendor's functions.
pub(crate) fn counts_of(
    program: &Program,
    change: impl FnOnce(&mut Command),
) -> (Run, BTreeMap<String, u64>) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("calls");
    let run = program.run_with(|command| {
        command.env("VENDOR_OPERATORS_CALLS", &file);
        change(command);
    });
    let lines = fs::read_to_string(file).unwrap();
    let counts = lines.lines().map(|line| {
        let (name, count) = line.split_once(' ').unwrap();
        (name.to_owned(), count.parse().unwrap())
    });
    (run, counts.collect())
}

/// The kernels compute every operator that updates. The vendor's operators are called only to write
/// scalars. host-cann's extension is asked for once, and not given.
#[test]
fn kernels_compute_and_the_vendor_writes_scalars() {
    for (file, values) in [
        ("scatter_add.cpp", 0),
        ("scatter.cpp", 0),
        ("inplace_scatter.cpp", 0),
        ("scatter_value.cpp", 3),
        ("inplace_scatter_value.cpp", 1),
        ("scatter_reduce.cpp", 0),
        ("inplace_scatter_reduce.cpp", 0),
        ("tf_scatter_add.cpp", 0),
        ("scatter_nd.cpp", 0),
        ("index_copy.cpp", 0),
        ("index_fill.cpp", 2),
        ("scatter_update.cpp", 0),
        ("embedding_dense_backward.cpp", 0),
        ("half.c", 0),
    ] {
        let program = Program::compile(file, &USUAL);
        for (engine, check, guarded) in [("auto", "flag", "0"), ("kernel", "off", "1"), ("auto", "sync", "1")]
        {
            let (_, counts) = counted(&program, |command| {
                command.env("ACLNN_SCATTER_KERNELS", kernels());
                command.env("ACLNN_SCATTER_ENGINE", engine).env("ACLNN_SCATTER_CHECK", check);
                command.env("HOST_CANN_DEBUG", guarded);
            });
            assert_eq!(counts, expected(values, values), "{file}, {engine}, {check}");
        }
    }
}

/// The counts of a process in which scalars were prepared and written this many times.
fn expected(prepared: u64, written: u64) -> BTreeMap<String, u64> {
    let counts = [
        ("aclnnInplaceFillScalar", written),
        ("aclnnInplaceFillScalarGetWorkspaceSize", prepared),
        ("hostcann_extension", 1),
    ];
    counts.into_iter().filter(|(_, count)| *count > 0).map(|(name, count)| (name.to_owned(), count)).collect()
}

#[test]
fn scalars_are_written_in_their_turn_and_freed() {
    let program = Program::compile("value_by_kernels.cpp", &USUAL);
    for guarded in ["0", "1"] {
        let (run, counts) = counted(&program, |command| {
            command.env("ACLNN_SCATTER_KERNELS", kernels()).env("HOST_CANN_DEBUG", guarded);
        });
        // Two executors fail in phase two, so two prepared scalars aren't written.
        assert_eq!(counts, expected(14, 12));
        assert!(!run.told.contains("left over"), "{}", run.told);
    }
}

/// The engine `vendor` passes every call on to the vendor's operators, and so does `auto` without
/// kernels.
#[test]
fn calls_are_handed_on_to_the_vendor() {
    for (file, functions) in [
        ("scatter_add.cpp", &[("aclnnScatterAdd", 4)][..]),
        ("inplace_scatter.cpp", &[("aclnnInplaceScatter", 1)]),
        ("scatter_value.cpp", &[("aclnnScatterValue", 3)]),
        ("inplace_scatter_value.cpp", &[("aclnnInplaceScatterValue", 1)]),
        ("tf_scatter_add.cpp", &[("aclnnTfScatterAdd", 3)]),
        ("scatter_nd.cpp", &[("aclnnScatterNd", 3), ("aclnnScatterNdUpdate", 1)]),
        ("gather.cpp", &[("aclnnGather", 2)]),
        ("index_copy.cpp", &[("aclnnIndexCopy", 2), ("aclnnInplaceIndexCopy", 1)]),
        ("index_fill.cpp", &[("aclnnIndexFill", 2), ("aclnnInplaceIndexFill", 1)]),
        ("scatter_update.cpp", &[("aclnnInplaceScatterUpdate", 4)]),
        ("embedding_dense_backward.cpp", &[("aclnnEmbeddingDenseBackward", 3)]),
        ("index_add.cpp", &[("aclnnIndexAdd", 1)]),
        ("index_add_v2.cpp", &[("aclnnIndexAddV2", 1)]),
        ("index_put.cpp", &[("aclnnIndexPutImpl", 2)]),
    ] {
        let program = Program::compile(file, &USUAL);
        for engine in ["vendor", "auto"] {
            let (_, counts) = counted(&program, |command| {
                command.env("ACLNN_SCATTER_ENGINE", engine);
                if engine == "vendor" {
                    // The engine `vendor` doesn't use kernels even if there are some.
                    command.env("ACLNN_SCATTER_KERNELS", kernels());
                }
            });
            let phases = |&(function, calls): &(&str, u64)| {
                [(function.to_owned(), calls), (format!("{function}GetWorkspaceSize"), calls)]
            };
            let expected = functions.iter().flat_map(phases).chain([("hostcann_extension".to_owned(), 1)]);
            assert_eq!(counts, expected.collect(), "{file}, {engine}");
        }
    }
}

/// Where there are kernels, they gather, and the vendor's operator isn't called.
#[test]
fn a_gather_is_done_by_the_kernels() {
    let program = Program::compile("gather.cpp", &USUAL);
    for engine in ["auto", "kernel"] {
        let (_, counts) = counted(&program, |command| {
            command.env("ACLNN_SCATTER_KERNELS", kernels()).env("ACLNN_SCATTER_ENGINE", engine);
        });
        assert!(!counts.contains_key("aclnnGather"), "{engine}: {counts:?}");
    }
}

/// A function that is needed to pass a scalar to the kernels fails: the phase that calls it reports
/// it, and nothing is written.
#[test]
fn a_scalar_that_cannot_be_written_is_told() {
    let program = Program::compile("refused_value.cpp", &USUAL);
    let first = "aclnnInplaceFillScalarGetWorkspaceSize";
    for (function, parameters, code, phases, words) in [
        (
            "aclrtMalloc",
            "void**, unsigned long, int",
            207_001,
            [361_001, 0],
            "value: aclrtMalloc returned ACL_ERROR_RT_MEMORY_ALLOCATION (207001)",
        ),
        (
            first,
            "void*, void*, void*, void*",
            161_002,
            [161_002, 0],
            "aclnnInplaceFillScalarGetWorkspaceSize returned",
        ),
        (
            "aclnnInplaceFillScalar",
            "void*, unsigned long, void*, void*",
            561_103,
            [0, 361_001],
            "value: aclnnInplaceFillScalar returned ACLNN_ERR_INNER_NULLPTR (561103)",
        ),
    ] {
        let instead = without(parameters, function, code);
        let run = program.run_with(|command| {
            on_vendor(command, Some(&instead.path()));
            command.args(phases.map(|code: i32| code.to_string()));
            command.env("ACLNN_SCATTER_KERNELS", kernels()).env("ACLNN_SCATTER_LOG", "1");
        });
        assert!(
            run.told.contains("aclnnInplaceScatterValue") && run.told.contains(words),
            "{words}: {}",
            run.told
        );
        // A failed phase one frees everything. After a failed phase two, the stream may still use
        // the scalar's memory, so it is left.
        let is_left = run.told.contains("left over");
        assert_eq!(is_left, phases[1] != 0, "{function}: {}", run.told);
    }
}

/// After the launches, phase two calls up to three functions of CANN for the stream. If one of them
/// fails, phase two reports that.
#[test]
fn a_stream_that_fails_behind_the_launches_is_told() {
    let program = Program::compile("failed_stream.cpp", &USUAL);
    let copy = "void*, unsigned long, const void*, unsigned long, int, void*";
    for (function, parameters, check) in [
        ("aclrtMemcpyAsync", copy, "flag"),
        ("aclrtRecordEvent", "void*, void*", "off"),
        ("aclrtSynchronizeStream", "void*", "sync"),
    ] {
        let instead = without(parameters, function, 507_015);
        let run = program.run_with(|command| {
            on_vendor(command, Some(&instead.path()));
            command.env("ACLNN_SCATTER_KERNELS", kernels()).env("ACLNN_SCATTER_CHECK", check);
            command.env("ACLNN_SCATTER_LOG", "1");
        });
        let words = format!("{function} returned ACL_ERROR_RT_AICORE_EXCEPTION (507015)");
        assert!(run.told.contains("aclnnInplaceScatterValue: ") && run.told.contains(&words), "{}", run.told);
    }
}
