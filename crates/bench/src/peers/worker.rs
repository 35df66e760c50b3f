//! A peer: another process that times other implementations on the same tensors.
//!
//! It answers each line of JSON on its standard input with one on its standard output;
//! `benches/peers/README.md` describes them.

use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use engines::usage::UsageError;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::files::Description;

/// A running peer. It ends when its standard input is closed.
#[derive(Debug)]
pub(super) struct Worker {
    command: String,
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    candidates: Vec<Candidate>,
}

/// An implementation and the number of threads that it runs on.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Candidate {
    pub(super) name: String,
    pub(super) threads: usize,
}

/// A request to the peer; see the README.
#[derive(Debug, Serialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
enum Question<'a> {
    Load { workload: &'a Description },
    Check { candidate: usize, file: &'a Path },
    Time { candidate: usize, calls: usize },
    Unload,
}

/// The answer to a request.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Answer<T> {
    Error { error: String },
    Good(T),
}

#[derive(Debug, Deserialize)]
struct Hello {
    candidates: Vec<Candidate>,
}

#[derive(Debug, Deserialize)]
struct Loaded {
    /// For each candidate why it can't run the workload; `None` where it can.
    not_applicable: Vec<Option<String>>,
}

#[derive(Debug, Deserialize)]
struct Timed {
    seconds: f64,
}

#[derive(Debug, Deserialize)]
struct Unloaded {}

/// The outcome of a request: the answer, or the peer's error message.
pub(super) type Asked<T> = Result<Result<T, String>, UsageError>;

impl Worker {
    /// Starts `command`, words separated by spaces, with the number of threads as an additional
    /// argument.
    pub(super) fn start(command: &str, threads: usize) -> Result<Self, UsageError> {
        let failed = |error| failure(command, error);
        let mut words = command.split_whitespace();
        let program = words.next().ok_or_else(|| failed(io::ErrorKind::NotFound.into()))?;
        let mut child = Command::new(program)
            .args(words)
            .arg(threads.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(failed(io::ErrorKind::BrokenPipe.into()));
        };
        let mut worker = Self {
            command: command.to_owned(),
            child,
            input: Some(input),
            output: BufReader::new(output),
            candidates: Vec::new(),
        };
        let hello: Result<Hello, String> = worker.answer()?;
        worker.candidates = hello.map_err(|error| failure(command, io::Error::other(error)))?.candidates;
        Ok(worker)
    }

    /// The candidates of this peer.
    pub(super) fn candidates(&self) -> &[Candidate] {
        &self.candidates
    }

    /// Makes the peer read a workload. Returns for each candidate why it can't run it; `None` where
    /// it can.
    pub(super) fn load(&mut self, workload: &Description) -> Result<Vec<Option<String>>, UsageError> {
        let count = self.candidates.len();
        match self.ask::<Loaded>(&Question::Load { workload })? {
            Ok(loaded) if loaded.not_applicable.len() == count => Ok(loaded.not_applicable),
            Ok(loaded) => Ok(vec![Some(format!("the peer answered {loaded:?}")); count]),
            Err(error) => Ok(vec![Some(error); count]),
        }
    }

    /// The seconds of one call on a fresh self. The peer writes the bytes of the result to `file`.
    pub(super) fn check(&mut self, candidate: usize, file: &Path) -> Asked<f64> {
        Ok(self.ask::<Timed>(&Question::Check { candidate, file })?.map(|timed| timed.seconds))
    }

    /// The mean seconds of `calls` calls on one self.
    pub(super) fn time(&mut self, candidate: usize, calls: usize) -> Asked<f64> {
        Ok(self.ask::<Timed>(&Question::Time { candidate, calls })?.map(|timed| timed.seconds))
    }

    /// Makes the peer free the workload.
    pub(super) fn unload(&mut self) -> Result<(), UsageError> {
        self.ask::<Unloaded>(&Question::Unload).map(drop)
    }

    fn ask<T: DeserializeOwned>(&mut self, question: &Question<'_>) -> Asked<T> {
        let failed = |error| failure(&self.command, error);
        let mut line = serde_json::to_string(question).map_err(|error| failed(error.into()))?;
        line.push('\n');
        if let Some(input) = &mut self.input {
            input.write_all(line.as_bytes()).map_err(failed)?;
        }
        self.answer()
    }

    fn answer<T: DeserializeOwned>(&mut self) -> Asked<T> {
        let failed = |error| failure(&self.command, error);
        let mut line = String::new();
        if self.output.read_line(&mut line).map_err(failed)? == 0 {
            return Err(failed(io::Error::new(io::ErrorKind::UnexpectedEof, "the peer has ended")));
        }
        Ok(match serde_json::from_str(&line).map_err(|error| failed(error.into()))? {
            Answer::Good(answer) => Ok(answer),
            Answer::Error { error } => Err(error),
        })
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.input = None;
        // The exit status doesn't matter any more.
        let _ = self.child.wait();
    }
}

/// The error for a peer that can't be started or doesn't answer.
fn failure(command: &str, error: io::Error) -> UsageError {
    UsageError::File { file: command.into(), error }
}
