//! The headers in both languages, and their numbers compared with those of the bindings.

mod common;

use common::Language::{C11, Cpp17};

#[test]
fn every_header_stands_alone_in_both_languages_without_a_warning() {
    let headers = common::headers();
    assert!(headers.len() >= 15, "{headers:?}");
    for header in &headers {
        for language in [C11, Cpp17] {
            // Twice, so that the include guards are tested.
            let source =
                format!("#include \"{header}\"\n#include \"{header}\"\nint main(void) {{ return 0; }}\n");
            common::check(language, &source)
                .unwrap_or_else(|error| panic!("{header} as {language:?}:\n{error}"));
        }
    }
}

#[test]
fn all_headers_go_together_in_any_order() {
    let mut headers = common::headers();
    for language in [C11, Cpp17] {
        headers.reverse();
        let source: String = headers.iter().map(|header| format!("#include <{header}>\n")).collect();
        common::check(language, &source).unwrap();
    }
}

/// The part of a toolkit's layout that programs rely on.
#[test]
fn the_include_paths_of_programs_are_there() {
    let headers = common::headers();
    for path in [
        "acl/acl.h",
        "acl/acl_rt.h",
        "acl/acl_base.h",
        "acl/error_codes/rt_error_codes.h",
        "aclnn/acl_meta.h",
        "aclnn/aclnn_base.h",
        "aclnn/opdev/op_errno.h",
        "aclnnop/aclnn_embedding_dense_backward.h",
        "aclnnop/aclnn_gather.h",
        "aclnnop/aclnn_index_add.h",
        "aclnnop/aclnn_index_add_v2.h",
        "aclnnop/aclnn_index_copy.h",
        "aclnnop/aclnn_index_fill.h",
        "aclnnop/aclnn_index_put_impl.h",
        "aclnnop/aclnn_scatter_add.h",
        "aclnnop/aclnn_scatter.h",
        "aclnnop/aclnn_scatter_nd.h",
        "aclnnop/aclnn_scatter_nd_update.h",
        "aclnnop/aclnn_scatter_reduce.h",
        "aclnnop/aclnn_scatter_update.h",
        "aclnnop/aclnn_tf_scatter_add.h",
        "aclnnop/aclnn_scatter_status.h",
    ] {
        assert!(headers.iter().any(|header| header == path), "{path}");
    }
}

/// Samples include operators with and without the folder.
#[test]
fn operators_can_be_included_without_their_folder() {
    let source = "#include \"acl/acl.h\"\n#include \"aclnn_scatter_add.h\"\n#include \"aclnn_scatter.h\"\n\
                  #include \"aclnn_scatter_reduce.h\"\n#include \"aclnn_tf_scatter_add.h\"\n\
                  #include \"aclnn_scatter_nd.h\"\n#include \"aclnn_scatter_nd_update.h\"\n\
                  #include \"aclnn_index_copy.h\"\n#include \"aclnn_gather.h\"\n#include \"aclnn_index_add.h\"\n\
                  #include \"aclnn_index_add_v2.h\"\n#include \"aclnn_scatter_update.h\"\n\
                  #include \"aclnn_index_put_impl.h\"\n#include \"aclnn_embedding_dense_backward.h\"\n\
                  #include \"aclnn_index_fill.h\"\n";
    let include = common::include();
    let (base, operators) =
        (format!("-I{}", include.display()), format!("-I{}", include.join("aclnnop").display()));
    common::compile(Cpp17, source, &["-Wall", "-Werror", "-fsyntax-only", &base, &operators]).unwrap();
}

fn asserts() -> String {
    let mut source: String =
        common::headers().iter().map(|header| format!("#include \"{header}\"\n")).collect();
    for (name, value) in common::constants() {
        source += &format!("static_assert(static_cast<long long>({name}) == {value}LL, \"{name}\");\n");
    }
    source + &common::layout_asserts(|_| true)
}

#[test]
fn the_numbers_of_the_headers_are_those_of_the_bindings() {
    common::check(Cpp17, &asserts()).unwrap();
}

#[test]
fn the_comparison_notices_a_difference() {
    let wrong = asserts().replace("(ACL_BF16) == 27LL", "(ACL_BF16) == 28LL");
    let error = common::check(Cpp17, &wrong).unwrap_err();
    assert!(error.contains("ACL_BF16"), "{error}");
}

/// A C constant can be used in a preprocessor condition and, in C++, in a template.
#[test]
fn a_program_uses_them_as_it_uses_a_toolkit_s() {
    let c = "#include \"acl/acl.h\"\n#include \"aclnnop/aclnn_scatter_add.h\"\n\
             int run(aclTensor *t, aclOpExecutor *e, aclrtStream s);\n\
             int run(aclTensor *t, aclOpExecutor *e, aclrtStream s) {\n\
             uint64_t size = 0; void *memory = NULL;\n\
             aclError ret = aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST);\n\
             if (ret != ACL_SUCCESS) { return ret; }\n\
             if (aclnnScatterAddGetWorkspaceSize(t, -1, t, t, t, &size, &e) != 0) { return 1; }\n\
             return aclnnScatterAdd(memory, size, e, s); }\n";
    common::check(C11, c).unwrap();
    let cpp = "#include <algorithm>\n#include \"acl/acl.h\"\n#include \"aclnnop/aclnn_scatter.h\"\n\
               int64_t worst(aclError a) { return std::max<int64_t>(std::max(a, ACL_ERROR_BAD_ALLOC), OK); }\n\
               template <aclDataType T> struct Of {}; template struct Of<ACL_FLOAT16>;\n";
    common::check(Cpp17, cpp).unwrap();
}
