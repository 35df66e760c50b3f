//! `device-report` and `cost --calibrate` on the stand-in for a device. Of times only the presence
//! is tested.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::on_stand_in_by;
use crate::page::expect_a_whole_page;
use crate::program::conformance;

/// The title of a report without a device.
const REHEARSAL: &str = "Rehearsal on a stand-in, no device: Scatter on Ascend910B1";

/// Makes the report of a few cases and workloads in a folder: the output, the JSON and the page.
fn rehearse(folder: &Path) -> (String, Value, String) {
    let name = folder.join("report");
    let (code, out) = on_stand_in_by(
        &["device-report", name.to_str().unwrap()],
        &[
            "--cases",
            "40",
            "--filter",
            "/scatter_add/f32/",
            "--workload",
            "embedding,histogram",
            "--scale",
            "4000",
        ],
        &["--repeats", "1", "--rounds", "1", "--threads", "2"],
    );
    assert_eq!(code, 0, "{out}");
    let read = |ending: &str| std::fs::read_to_string(name.with_extension(ending)).unwrap();
    (out, serde_json::from_str(&read("json")).unwrap(), read("html"))
}

#[test]
fn a_report_is_rehearsed() {
    let folder = tempfile::tempdir().unwrap();
    let (out, report, page) = rehearse(folder.path());
    assert!(out.contains("A rehearsal on a stand-in for a device"), "{out}");

    assert_eq!((&report["kind"], &report["format"]), (&json!("device-report"), &json!(1)));
    assert_eq!(report["title"], REHEARSAL);
    assert!(report["rehearsal"].as_str().unwrap().contains("mean nothing about a device"));
    assert!(report["date"].as_str().unwrap().ends_with(" UTC"));
    assert_eq!(report["version"], env!("CARGO_PKG_VERSION"));
    assert!(report.get("commit").is_some());
    assert_eq!(report["machine"]["architecture"], std::env::consts::ARCH);
    let device = &report["device"];
    assert_eq!(
        (&device["soc"], &device["devices"], &device["cores"]),
        (&json!("Ascend910B1"), &json!(2), &json!(48))
    );
    assert_eq!(device["megahertz"], 1850);
    let versions = device["versions"].as_array().unwrap();
    let driver = versions.iter().find(|version| version["what"] == "driver").unwrap();
    assert!(
        driver["value"].is_null() && driver["not_told"].as_str().unwrap().contains("aclsysGetCANNVersion")
    );
    let kernels = report["kernels"]["description"].as_str().unwrap();
    assert_eq!(kernels, "the host model of Ascend C, on streams");

    assert_eq!(report["suite"]["failed"], 0);
    assert!(report["suite"]["passed"].as_u64().unwrap() > 40);
    let workloads = report["workloads"].as_array().unwrap();
    assert_eq!(workloads.len(), 2);
    for workload in workloads {
        assert_eq!(workload["ours"]["outcome"], "timed", "{workload}");
        assert_eq!(workload["ours"]["differences"], 0, "{workload}");
        assert_eq!(workload["ours"]["all"].as_array().unwrap().len(), 1, "{workload}");
        assert_eq!(workload["copies"]["outcome"], "timed", "{workload}");
        assert_eq!(workload["vendor"]["outcome"], "not_timed", "{workload}");
        assert!(workload["vendor"]["reason"].as_str().unwrap().contains("aclnnScatterAdd"), "{workload}");
    }
    assert_eq!(report["probes"]["not_run"], Value::Null);
    for measurement in report["probes"]["measurements"].as_array().unwrap() {
        assert_eq!(measurement["problem"], Value::Null, "{measurement}");
        assert!(measurement["nanoseconds"].is_f64(), "{measurement}");
    }
    assert_eq!(report["probes"]["constants"].as_array().unwrap().len(), 23);

    assert!(
        page.contains(&format!("<title>{REHEARSAL}</title>"))
            && page.contains(&format!("<h1>{REHEARSAL}</h1>"))
    );
    assert_eq!(page.matches("<section>").count(), 5);
    assert_eq!(page.matches("<p class=\"rehearsal\">A rehearsal").count(), 5);
    expect_a_whole_page(&page);
    if scatter_kernels::model::CHARGES_CODE {
        the_constants_are_taken(&report, folder.path());
    }
}

/// What `cost` prints for a workload, and the nanoseconds of our kernels in the cautious setting.
fn cost(arguments: &[&str], folder: &Path) -> (String, u64) {
    let json = folder.join("cost.json");
    let of =
        ["cost", "--workload", "histogram", "--scale", "4000", "--chosen", "--json", json.to_str().unwrap()];
    let (code, out, err) = conformance(&[&of, arguments].concat());
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    let report: Value = serde_json::from_slice(&std::fs::read(json).unwrap()).unwrap();
    (out, report["workloads"][0]["ours"][0]["nanoseconds"][0].as_u64().unwrap())
}

/// A changed constant changes the modelled time, and an unusable one doesn't.
fn the_constants_are_taken(report: &Value, folder: &Path) {
    let file = folder.join("changed.json");
    let calibrated = |report: &Value| {
        std::fs::write(&file, report.to_string()).unwrap();
        cost(&["--calibrate", file.to_str().unwrap()], folder)
    };
    let (head, _) = calibrated(report);
    assert!(
        head.starts_with(&format!("Calibrated: with the constants of the report \"{REHEARSAL}\"")),
        "{head}"
    );

    let (frozen_head, frozen) = cost(&[], folder);
    assert!(!frozen_head.contains("Calibrated"));
    let with = |name: &str, value: f64| {
        let mut changed = report.clone();
        for constant in changed["probes"]["constants"].as_array_mut().unwrap() {
            let is_it = constant["name"] == name;
            constant["usable"] = json!(is_it);
            if is_it {
                constant["value"] = json!(value);
            }
        }
        calibrated(&changed)
    };
    // The value of the table.
    assert_eq!(with("launch_nanoseconds", 1700.0).1, frozen);
    let (head, longer) = with("launch_nanoseconds", 11_700.0);
    assert!(longer > frozen && (longer - frozen) % 10_000 == 0, "{frozen}, {longer}");
    assert!(head.contains("Frozen, since the report has none to use: gm_bytes_per_cycle, "), "{head}");
    assert!(with("scalar_read", 500.0).1 > frozen);
    assert!(with("read_latency", 20_000.0).1 > frozen);
}

#[test]
fn what_is_no_report_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("no.json");
    let path = file.to_str().unwrap();
    for (content, words) in [
        ("{", "EOF"),
        ("{\"kind\": 1}", "kind: \"1\" is not \"device-report\""),
        ("{\"kind\": \"device-report\", \"format\": 2}", "format 2 is not known"),
        ("{\"kind\": \"device-report\", \"format\": 1}", "probes.constants"),
    ] {
        std::fs::write(&file, content).unwrap();
        let (code, out, err) = conformance(&["cost", "--calibrate", path]);
        assert_eq!((code, out.as_str(), err.lines().count()), (2, "", 1), "{err}");
        assert!(err.starts_with(&format!("error: {path}: ")) && err.contains(words), "{err}");
    }
}

/// host-cann without its extensions has no operators of its own, which the error says.
#[test]
fn a_cann_without_operators_is_told() {
    let (code, out) = on_stand_in_by(&["--engine", "device-vendor"], &[], &[]);
    assert_eq!((code, out.lines().count()), (2, 1), "{out}");
    let start = "error: engine device-vendor, the installed CANN: ";
    assert!(out.starts_with(start) && out.contains("aclnnScatterAdd"), "{out}");
}

#[test]
fn a_report_that_can_not_be_written_is_told_at_once() {
    let nowhere = Path::new("no-such-folder").join("report");
    let (code, out) = on_stand_in_by(&["device-report", nowhere.to_str().unwrap()], &[], &[]);
    assert_eq!((code, out.lines().count()), (2, 1), "{out}");
    assert!(out.contains("no-such-folder/report.json: No such file"), "{out}");
}

#[test]
fn a_report_survives_options_that_can_not_be_used() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("report.json");
    std::fs::write(&file, "a report").unwrap();
    let arguments = ["device-report", file.to_str().unwrap(), "--filter", "no such case"];
    let (code, out) = on_stand_in_by(&arguments, &[], &[]);
    assert!(code == 2 && out.contains("no case matches"), "{out}");
    assert_eq!(std::fs::read_to_string(file).unwrap(), "a report");
}

/// Without a CANN, `device-report` fails.
#[test]
fn a_report_needs_a_cann() {
    let output = Command::new(env!("CARGO_BIN_EXE_conformance"))
        .args(["device-report", "report"])
        .env("ACLNN_LIBRARY_PATH", "nowhere")
        .output()
        .unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.contains("no CANN: aclInit not found"), "{told}");
}
