//! A peer of `conformance bench --peer`: candle-core and burn-flex. README.md says what is asked
//! and answered.

mod burn;
mod candle;
mod workload;

use std::io::{self, BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::Instant;

use serde::Deserialize;
use serde_json::{Value, json};
use workload::Workload;

/// A workload's tensors in an implementation's own form.
trait Loaded {
    /// Resets self to what it is before the first call.
    fn reset(&mut self) -> Result<(), String>;
    /// The scatter.
    fn call(&mut self) -> Result<(), String>;
    /// self as it is now.
    fn result(&self) -> Result<Vec<u8>, String>;
}

/// Reads a workload, or says why an implementation can't run it.
type Load = fn(&Workload) -> Result<Box<dyn Loaded>, String>;

/// The implementations, all of which run on one thread, whatever number is requested.
const PEERS: [(&str, Load); 2] = [("candle-core 0.11.1", candle::load), ("burn-flex 0.22.0", burn::load)];

#[derive(Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
enum Question {
    Load { workload: Workload },
    Check { candidate: usize, file: PathBuf },
    Time { candidate: usize, calls: u32 },
    Unload,
}

fn main() -> io::Result<()> {
    let candidates: Vec<_> = PEERS.iter().map(|(name, _)| json!({ "name": name, "threads": 1 })).collect();
    say(&json!({ "candidates": candidates }))?;
    let mut loaded = Vec::new();
    for line in io::stdin().lock().lines() {
        let answer = catch_unwind(AssertUnwindSafe(|| {
            answer(&line?, &mut loaded).or_else(|error| Ok(error_of(error)))
        }));
        say(&answer.unwrap_or_else(|_| Ok::<_, io::Error>(error_of("panicked".to_owned())))?)?;
    }
    Ok(())
}

fn error_of(error: String) -> Value {
    json!({ "error": error })
}

fn say(answer: &Value) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{answer}")?;
    out.flush()
}

type Slots = Vec<Result<Box<dyn Loaded>, String>>;

fn answer(line: &str, loaded: &mut Slots) -> Result<Value, String> {
    match serde_json::from_str(line).map_err(|error| error.to_string())? {
        Question::Load { workload } => {
            loaded.clear();
            loaded.extend(PEERS.iter().map(|(_, load)| load(&workload)));
            let absent: Vec<_> = loaded.iter().map(|loaded| loaded.as_ref().err()).collect();
            Ok(json!({ "not_applicable": absent }))
        }
        Question::Check { candidate, file } => {
            let seconds = time(loaded, candidate, 1)?;
            std::fs::write(file, slot(loaded, candidate)?.result()?).map_err(|error| error.to_string())?;
            Ok(json!({ "seconds": seconds }))
        }
        Question::Time { candidate, calls } => Ok(json!({ "seconds": time(loaded, candidate, calls)? })),
        Question::Unload => {
            loaded.clear();
            Ok(json!({}))
        }
    }
}

fn slot(loaded: &mut Slots, candidate: usize) -> Result<&mut Box<dyn Loaded>, String> {
    let loaded = loaded.get_mut(candidate).ok_or("nothing is loaded")?;
    loaded.as_mut().map_err(|error| error.clone())
}

/// The mean time of `calls` calls on one self, in seconds.
fn time(loaded: &mut Slots, candidate: usize, calls: u32) -> Result<f64, String> {
    let loaded = slot(loaded, candidate)?;
    loaded.reset()?;
    let start = Instant::now();
    for _ in 0..calls {
        loaded.call()?;
    }
    Ok(start.elapsed().as_secs_f64() / f64::from(calls))
}
