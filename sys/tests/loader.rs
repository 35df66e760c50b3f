//! The loader, with libraries that the C compiler makes here.
#![cfg(feature = "loader")]

mod common;
#[path = "../../tests/processes/runner.rs"]
mod runner;

use std::ffi::{CString, c_void};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Barrier;
use std::thread;

use aclnn_sys::{ACL_ERROR_REPEAT_FINALIZE, ACL_SUCCESS, AclError, Cann, aclError};

/// A library that reports `count` devices.
fn devices(folder: &Path, name: &str, count: u32) -> PathBuf {
    let functions = format!(
        "#include \"acl/acl.h\"\n\
         aclError aclrtGetDeviceCount(uint32_t *count) {{ *count = {count}; return ACL_SUCCESS; }}\n\
         int aclnnOther{count}(void) {{ return {count}; }}"
    );
    marked(folder, name, &functions)
}

/// A library with these functions that leaves a mark when it is opened.
fn marked(folder: &Path, name: &str, functions: &str) -> PathBuf {
    let mark = folder.join(format!("{name}.opened"));
    let source = format!(
        "#include <stdio.h>\n{functions}\n\
         __attribute__((constructor)) static void opened(void) {{\n\
         FILE *file = fopen(\"{}\", \"a\"); if (file) {{ fputc('x', file); fclose(file); }} }}\n",
        mark.display()
    );
    common::library(folder, name, &source)
}

/// How often the library was opened.
fn opened(folder: &Path, name: &str) -> usize {
    std::fs::read(folder.join(format!("{name}.opened"))).map_or(0, |mark| mark.len())
}

fn count(cann: &Cann) -> u32 {
    let mut count = 0;
    // SAFETY: the libraries are those of these tests, and count is written.
    assert_eq!(unsafe { cann.aclrtGetDeviceCount(&mut count) }, Ok(ACL_SUCCESS));
    count
}

/// One list of several, by the order of paths.
fn list<const N: usize>(paths: [&Path; N]) -> Cann {
    paths.into_iter().fold(Cann::from_table([]), |list, path| list.then(Cann::load_from(path)))
}

#[test]
fn a_symbol_is_called_and_a_missing_one_is_an_error_of_that_call() {
    let folder = tempfile::tempdir().unwrap();
    let path = devices(folder.path(), "libone.so", 7);
    let cann = Cann::load_from(&path);
    assert_eq!(opened(folder.path(), "libone.so"), 0, "opened before anything was called");
    assert_eq!(count(&cann), 7);
    // SAFETY: the library is this test's and has no such function.
    let error = unsafe { cann.aclrtSynchronizeDevice() }.unwrap_err();
    assert_eq!(error.symbol(), "aclrtSynchronizeDevice");
    assert_eq!(error.searched().len(), 1);
    assert_eq!(error.searched()[0].library(), path.display().to_string());
    let expected = format!("aclrtSynchronizeDevice not found: {}: does not export it", path.display());
    assert_eq!(error.to_string(), expected);
    assert_eq!(count(&cann), 7, "the error was that call's alone");
    assert_eq!(opened(folder.path(), "libone.so"), 1);
}

#[test]
fn a_missing_library_is_an_error_of_the_call_that_names_it() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("libgone.so");
    let broken = folder.path().join("libbroken.so");
    std::fs::write(&broken, "not a library").unwrap();
    let cann = list([&missing, &broken, folder.path()]);
    // SAFETY: nothing can be opened, so nothing is called.
    let error = unsafe { cann.aclFinalize() }.unwrap_err();
    let text = error.to_string();
    assert_eq!(error.searched().len(), 4, "{text}");
    for part in
        ["aclFinalize", "libgone.so: can't be opened (", "No such file", "libbroken.so: can't be opened ("]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(error.searched()[3].problem().contains("none of CANN's libraries"), "{text}");
}

#[test]
fn the_first_library_of_the_list_wins_and_later_ones_stay_closed() {
    let folder = tempfile::tempdir().unwrap();
    let one = devices(folder.path(), "libone.so", 1);
    let two = devices(folder.path(), "libtwo.so", 2);
    let cann = list([&one, &two]);
    assert_eq!(count(&cann), 1);
    assert_eq!((opened(folder.path(), "libone.so"), opened(folder.path(), "libtwo.so")), (1, 0));
    assert_eq!(count(&list([&two, &one])), 2);
    // A symbol that only the second library has is found there.
    // SAFETY: the libraries are this test's, and the function takes nothing and returns an int.
    let other = unsafe {
        let address = cann.symbol(c"aclnnOther2").unwrap();
        std::mem::transmute::<*mut c_void, extern "C" fn() -> i32>(address.as_ptr())()
    };
    assert_eq!(other, 2);
    // SAFETY: the libraries are this test's, and nothing is called.
    let error = unsafe { cann.symbol(c"aclnnOther3") }.unwrap_err();
    assert_eq!((error.symbol(), error.searched().len()), ("aclnnOther3", 3));
}

#[test]
fn the_folder_of_an_install_is_its_libraries() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("lib64")).unwrap();
    let libraries = folder.path().join("lib64");
    devices(&libraries, "libascendcl.so", 3);
    devices(&libraries, "libopapi.so", 4);
    for path in [folder.path(), &libraries] {
        let cann = Cann::load_from(path);
        assert_eq!(count(&cann), 3);
        let names: Vec<String> = cann.libraries().collect();
        assert_eq!(names.len(), 2);
        assert!(names[0].ends_with("libascendcl.so") && names[1].ends_with("libopapi.so"), "{names:?}");
        assert!(format!("{cann:?}").contains("libascendcl.so"));
    }
}

#[test]
fn the_next_library_is_found_from_one_s_own() {
    let folder = tempfile::tempdir().unwrap();
    let one = devices(folder.path(), "libone.so", 1);
    let two = devices(folder.path(), "libtwo.so", 2);
    let name = c"aclrtGetDeviceCount";
    // SAFETY: the libraries are this test's; only addresses are compared.
    unsafe {
        let first = Cann::load_from(&one).symbol(name).unwrap();
        let second = Cann::load_from(&two).symbol(name).unwrap();
        assert_ne!(first, second);
        for cann in [list([&one, &two]), list([&two, &one]), list([&one, &one, &two])] {
            assert_eq!(cann.next_symbol(name, first.as_ptr()).unwrap(), second);
        }
        assert_eq!(list([&one, &two]).next_symbol(name, second.as_ptr()).unwrap(), first);
        let error = Cann::load_from(&one).next_symbol(name, first.as_ptr()).unwrap_err();
        assert!(error.to_string().contains("it is the one that asks"), "{error}");
    }
}

extern "C" fn finalize() -> aclError {
    ACL_ERROR_REPEAT_FINALIZE
}

#[test]
fn a_table_of_this_process_serves_and_libraries_may_follow_it() {
    let finalize = finalize as aclnn_sys::prototypes::aclFinalize as *const c_void;
    let other = child_of_the_environment as fn() as *const c_void;
    let table = [
        (c"aclFinalize", std::ptr::null()),
        (c"aclFinalize", finalize),
        (c"aclFinalize", other),
        (c"aclInit", std::ptr::null()),
    ];
    let cann = Cann::from_table(table);
    // SAFETY: the table's function is of this type.
    assert_eq!(unsafe { cann.aclFinalize() }, Ok(ACL_ERROR_REPEAT_FINALIZE));
    // SAFETY: nothing is called.
    let error = unsafe { cann.aclInit(std::ptr::null()) }.unwrap_err();
    assert_eq!(error.to_string(), "aclInit not found: a table of 1 functions: does not have it");
    // SAFETY: nothing is called.
    let error = unsafe { Cann::from_table([]).then(Cann::from_table([])).aclFinalize() }.unwrap_err();
    assert_eq!(error.searched().len(), 2);

    let folder = tempfile::tempdir().unwrap();
    let cann = cann.then(Cann::load_from(devices(folder.path(), "libone.so", 5)));
    // SAFETY: the table's function is of this type.
    assert_eq!(unsafe { cann.aclFinalize() }, Ok(ACL_ERROR_REPEAT_FINALIZE));
    assert_eq!(count(&cann), 5);
}

#[test]
fn eight_threads_use_it_first_at_once() {
    for _ in 0..20 {
        let folder = tempfile::tempdir().unwrap();
        let cann = Cann::load_from(devices(folder.path(), "libone.so", 9));
        let (cann, barrier) = (&cann, &Barrier::new(8));
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(move || {
                    barrier.wait();
                    assert_eq!(count(cann), 9);
                    // SAFETY: nothing is called.
                    assert!(unsafe { cann.aclFinalize() }.is_err());
                });
            }
        });
        assert_eq!(opened(folder.path(), "libone.so"), 1);
    }
}

#[test]
fn a_library_stays_open_when_its_list_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let path = devices(folder.path(), "libone.so", 6);
    let cann = Cann::load_from(&path);
    // SAFETY: the library is this test's and the type that of the header.
    let function: aclnn_sys::prototypes::aclrtGetDeviceCount =
        unsafe { std::mem::transmute(cann.symbol(c"aclrtGetDeviceCount").unwrap().as_ptr()) };
    drop(cann);
    let mut count = 0;
    // SAFETY: the library is still there.
    assert_eq!(unsafe { function(&mut count) }, AclError::SUCCESS);
    assert_eq!(count, 6);
}

/// Not a test by itself: the next tests run it in a process with its own environment.
#[test]
fn child_of_the_environment() {
    if std::env::var_os("ACLNN_SYS_TEST_CHILD").is_some() {
        if let Some(library) = std::env::var_os("ACLNN_SYS_TEST_OPENED") {
            println!("opened {}", count(&Cann::load_from(library)));
            std::env::set_current_dir("/").unwrap();
        }
        let cann = Cann::load();
        println!("libraries {:?}", cann.libraries().collect::<Vec<_>>());
        println!("devices {}", count(&cann));
        if let Ok(name) = std::env::var("ACLNN_SYS_TEST_SYMBOL") {
            let symbol = CString::new(name.clone()).unwrap();
            // SAFETY: the libraries are those of these tests.
            match unsafe { cann.symbol(&symbol) } {
                Ok(_) => println!("{name} is there"),
                Err(error) => println!("{error}"),
            }
        }
    }
}

/// A process that runs it, without the variables that say where CANN is.
fn child() -> Command {
    let mut command = runner::itself();
    command.args(["--exact", "child_of_the_environment", "--nocapture"]).env("ACLNN_SYS_TEST_CHILD", "1");
    for name in ["ACLNN_LIBRARY_PATH", "ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME"] {
        command.env_remove(name);
    }
    command
}

#[test]
fn the_environment_says_which_cann_is_loaded() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    std::fs::create_dir_all(home.join("lib64")).unwrap();
    devices(&home.join("lib64"), "libascendcl.so", 11);
    let single = devices(folder.path(), "libsingle.so", 12);
    let by_name = folder.path().join("by_name");
    std::fs::create_dir(&by_name).unwrap();
    devices(&by_name, "libacl_rt.so", 13);
    let run = |variables: &[(&str, &Path)]| {
        let mut command = child();
        command.current_dir(folder.path());
        let output = command.envs(variables.iter().copied()).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.split("devices ")
            .nth(1)
            .and_then(|rest| rest.split_whitespace().next())
            .map(str::to_owned)
            .ok_or(text)
    };
    assert_eq!(run(&[("ASCEND_HOME_PATH", &home)]).unwrap(), "11");
    assert_eq!(run(&[("ASCEND_TOOLKIT_HOME", &home)]).unwrap(), "11");
    assert_eq!(run(&[("ASCEND_HOME_PATH", &home), ("ACLNN_LIBRARY_PATH", &single)]).unwrap(), "12");
    // The libraries that the process has opened precede the variables, except the explicit one, and
    // libraries without a name of CANN's don't count. They are found by the relative path by which
    // they were opened, even from another folder.
    if cfg!(target_os = "linux") {
        for opened in [&by_name.join("libacl_rt.so"), Path::new("by_name/libacl_rt.so")] {
            let opened = ("ACLNN_SYS_TEST_OPENED", opened);
            assert_eq!(run(&[opened, ("ASCEND_HOME_PATH", &home)]).unwrap(), "13");
            let explicit = [opened, ("ASCEND_HOME_PATH", &home), ("ACLNN_LIBRARY_PATH", &single)];
            assert_eq!(run(&explicit).unwrap(), "12");
        }
        let foreign = ("ACLNN_SYS_TEST_OPENED", single.as_path());
        assert_eq!(run(&[foreign, ("ASCEND_HOME_PATH", &home)]).unwrap(), "11");
    }
    if !Path::new("/usr/local/Ascend").exists() {
        assert_eq!(run(&[("LD_LIBRARY_PATH", &by_name)]).unwrap(), "13");
    }
}

#[test]
fn the_older_operators_are_not_used_beside_the_newer_wherever_these_are_found() {
    if Path::new("/usr/local/Ascend").exists() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (older, newer) = (folder.path().join("older"), folder.path().join("newer"));
    std::fs::create_dir(&older).unwrap();
    std::fs::create_dir(&newer).unwrap();
    devices(&older, "libacl_rt.so", 1);
    devices(&older, "libopapi.so", 2);
    let run = |folders: &[&Path]| {
        let mut command = child();
        command.env("LD_LIBRARY_PATH", std::env::join_paths(folders).unwrap());
        command.env("ACLNN_SYS_TEST_SYMBOL", "aclnnOther2");
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    let told = run(&[&older, &newer]);
    assert!(told.contains("aclnnOther2 is there"), "{told}");
    devices(&newer, "libopapi_nn.so", 3);
    std::fs::remove_file(older.join("libopapi.so.opened")).unwrap();
    let told = run(&[&older, &newer]);
    assert!(told.contains("libopapi.so: is not used beside libopapi_nn.so"), "{told}");
    assert_eq!(opened(&older, "libopapi.so"), 0);
}

#[test]
fn libraries_that_few_need_are_opened_for_their_functions_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    devices(path, "libacl_rt.so", 1);
    marked(path, "libacl_op_compiler.so", "int aclopCompileAndExecute(void) { return 0; }");
    marked(path, "libacl_tdt_channel.so", "int acltdtCreateChannel(void) { return 0; }");
    let cann = Cann::load_from(path);
    // SAFETY: the libraries are those of this test.
    let has = |name| unsafe { cann.symbol(name) }.is_ok();
    let both = || ["libacl_op_compiler.so", "libacl_tdt_channel.so"].map(|name| opened(path, name));
    assert!(!has(c"aclnnOther2") && has(c"aclnnOther1"));
    assert_eq!(both(), [0, 0]);
    assert!(has(c"acltdtCreateChannel"));
    assert_eq!(both(), [0, 1]);
    assert!(has(c"aclopCompileAndExecute") && !has(c"aclopOther"));
    assert_eq!(both(), [1, 1]);
}
