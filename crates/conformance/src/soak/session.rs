//! What a thread does in a step.

use engines::case::{Case, Expected};
use engines::engine::{self, Engine, Engines};
use engines::host::{self, Fault};
use engines::judge::{Wanted, attempt};
use engines::random::Random;
use engines::usage::UsageError;

use super::tally::{Kind, Tally};
use super::{check, draw};
use crate::family::{Entry, refusals};

/// Makes one of [`engine::ON_HOST_CANN`] on a device.
pub(super) type Make = fn(&str, i32) -> Result<Box<dyn Engine>, UsageError>;

/// What all threads share.
pub(super) struct World {
    seed: u64,
    /// How many devices all threads use; behind these each thread has its own, which it resets.
    shared: u16,
    /// The engines without devices.
    plain: Vec<Box<dyn Engine>>,
    /// The calls that break a rule.
    refusals: Vec<Entry>,
    make: Make,
}

/// Of `STEPS` steps of a thread about `ON_DEVICES` are on engines with devices, which have the most
/// faults, and `ON_KERNELS` on the kernels, whose model is slow.
const STEPS: u64 = 40;
const ON_DEVICES: u64 = 32;
const ON_KERNELS: u64 = 1;

/// The engines of the crate `aclnn`.
const SAFE_API: [&str; 2] = ["aclnn", "aclnn-any"];

/// Threads of the CPU engine's second pool.
const CPU_THREADS: u16 = 2;

impl World {
    /// The world of a seed, with the engines as they are.
    pub(super) fn new(seed: u64, shared: u16) -> Result<Self, UsageError> {
        let names = ["reference", "cpu", "kernel"].map(str::to_owned).to_vec();
        let options = Engines { names, threads: Some(CPU_THREADS), c_libraries: None, pattern: None };
        let plain = engine::chosen(&options)?;
        // What the first use of each makes for the whole process is there before anything is
        // counted.
        for name in engine::ON_HOST_CANN {
            drop(engine::on_device(name, 0)?);
        }
        let rules = |entry: &Entry| !entry.name.contains("/index-value/");
        let refusals = refusals::cases().entries.into_iter().filter(rules).collect();
        Ok(Self { seed, shared, plain, refusals, make: engine::on_device })
    }

    /// The same world with other engines on devices.
    #[cfg(test)]
    pub(super) fn with(self, make: Make) -> Self {
        Self { make, ..self }
    }

    /// Does what a thread does in a step.
    pub(super) fn step(&self, step: u64, thread: u16) -> Tally {
        let random = Random::of(self.seed, &format!("soak/{step}/{thread}"));
        let mut session = Session { world: self, random, step, thread, tally: Tally::default() };
        match session.random.below(STEPS) {
            drawn if drawn < ON_DEVICES => session.on_a_device(),
            drawn => {
                let kernels = drawn >= STEPS - ON_KERNELS;
                let of: Vec<_> = self.plain.iter().filter(|of| (of.name() == "kernel") == kernels).collect();
                let engine = session.random.pick(&of);
                session.calls(engine.as_ref(), false);
            }
        }
        session.tally
    }
}

/// A thread in a step.
struct Session<'a> {
    world: &'a World,
    random: Random,
    step: u64,
    thread: u16,
    tally: Tally,
}

impl Session<'_> {
    /// Makes calls with an engine of its own on a device, sometimes one that no other thread uses.
    fn on_a_device(&mut self) {
        let name = self.random.pick(&engine::ON_HOST_CANN);
        let resets = self.random.once_in(5);
        let device = match resets {
            true => self.world.shared + self.thread,
            false => self.random.below(self.world.shared.into()) as u16,
        };
        if resets {
            return self.on_its_own_device(name, device);
        }
        if let Some(engine) = self.make(name, device) {
            self.calls(engine.as_ref(), true);
        }
    }

    /// Makes calls, resets the device during the last, and opens it again.
    fn on_its_own_device(&mut self, name: &str, device: u16) {
        let Some(engine) = self.make(name, device) else { return };
        self.calls(engine.as_ref(), true);
        let before = self.allocated(device);
        let has_struck = self.fails(engine.as_ref(), Fault::Reset, 14);
        drop(engine);
        if !has_struck {
            return;
        }
        // The safe API frees no memory of which CANN can't say whether the work on it is done.
        if SAFE_API.contains(&name) {
            let kept = self.allocated(device).saturating_sub(before);
            self.tally.keep_memory(kept);
        }
        if let Some(again) = self.make(name, device) {
            self.sound(again.as_ref());
        }
    }

    /// How many bytes are allocated on a device that no other thread uses.
    fn allocated(&mut self, device: u16) -> usize {
        let bytes = host::allocated(device.into());
        let fails = |error| self.tally.fail(self.step, format!("device {device}: {error}"));
        bytes.map_err(fails).unwrap_or(0)
    }

    fn make(&mut self, name: &str, device: u16) -> Option<Box<dyn Engine>> {
        let made = (self.world.make)(name, device.into());
        made.map_err(|error| self.tally.fail(self.step, format!("{name} on device {device}: {error}"))).ok()
    }

    /// Makes up to four calls, most with a fault, and after each fault one without.
    fn calls(&mut self, engine: &dyn Engine, has_devices: bool) {
        for number in 0..self.random.between(1, 4) {
            let kinds = if has_devices { 9 } else { 3 };
            let has_failed = match self.random.below(kinds) {
                0 => self.sound(engine),
                1 => self.bad_index(engine),
                2 => self.refused(engine),
                3 | 4 => self.fails(engine, Fault::Allocation, 6),
                5 | 6 => self.fails(engine, Fault::Copy, 9),
                // A stream gets its thread with its first work.
                7 if number == 0 => self.fails(engine, Fault::Thread, 1),
                _ => self.fails(engine, Fault::Task, 2),
            };
            if has_failed {
                self.sound(engine);
            }
        }
    }

    /// Makes a call that must succeed.
    fn sound(&mut self, engine: &dyn Engine) -> bool {
        let case = draw::valid(engine, &mut self.random);
        self.judge(engine, &case, None);
        false
    }

    fn bad_index(&mut self, engine: &dyn Engine) -> bool {
        let case = draw::bad_index(engine, &mut self.random);
        self.judge(engine, &case, Some(Kind::BadIndex));
        true
    }

    fn refused(&mut self, engine: &dyn Engine) -> bool {
        let case = draw::refused(engine, &self.world.refusals, &mut self.random);
        self.judge(engine, &case, Some(Kind::Rule));
        true
    }

    /// Makes a call, and compares its outcome with the expected one.
    fn judge(&mut self, engine: &dyn Engine, case: &Case, kind: Option<Kind>) {
        let Some(wanted) = self.wanted(engine, case) else { return };
        let setting = self.setting(engine);
        let attempt = attempt(case, engine, setting);
        self.tally.call(engine.name(), kind);
        if let Some(mismatch) = attempt.mismatch(case, &wanted) {
            self.fail(engine, case, kind, &mismatch.to_string());
        }
    }

    /// Makes a call during which one of the first `most` actions of a kind fails, and returns
    /// whether it has come to that. Otherwise the call must succeed.
    fn fails(&mut self, engine: &dyn Engine, fault: Fault, most: usize) -> bool {
        let case = draw::valid(engine, &mut self.random);
        let Some(wanted) = self.wanted(engine, &case) else { return false };
        fault.inject(self.random.between(1, most) as u64);
        let attempt = attempt(&case, engine, 0);
        let has_struck = fault.inject(0);
        let kind = has_struck.then_some(Kind::Fault(fault));
        self.tally.call(engine.name(), kind);
        let wrong = match has_struck {
            true => check::wrong(fault, &case, &wanted, &attempt),
            false => attempt.mismatch(&case, &wanted).map(|mismatch| mismatch.to_string()),
        };
        if let Some(wrong) = wrong {
            self.fail(engine, &case, kind, &wrong);
        }
        has_struck
    }

    fn setting(&mut self, engine: &dyn Engine) -> usize {
        self.random.below(engine.settings().len() as u64) as usize
    }

    fn wanted(&mut self, engine: &dyn Engine, case: &Case) -> Option<Wanted> {
        let wanted = Wanted::of(case);
        wanted.map_err(|error| self.fail(engine, case, None, &format!("the reference refuses: {error}"))).ok()
    }

    fn fail(&mut self, engine: &dyn Engine, case: &Case, kind: Option<Kind>, what: &str) {
        let kind = kind.map_or_else(|| String::from("no fault"), |kind| kind.name().to_owned());
        let expected = match &case.expected {
            Expected::Refusal(error) => format!("; expected: {error}"),
            _ => String::new(),
        };
        let (name, thread) = (engine.name(), self.thread);
        let words = format!("thread {thread}, {name}, {kind}: {what}\n    {}: {case}{expected}", case.name);
        self.tally.fail(self.step, words);
    }
}
