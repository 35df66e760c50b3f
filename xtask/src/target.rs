//! The machine that libraries are built for.

use std::str::FromStr;

/// A kind of machine that CANN has toolkits for, by Rust's name of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    triple: String,
    machine: &'static str,
}

/// What `uname -m` says on the hosts that CANN has toolkits for, which is also how a triple of
/// Rust's begins.
const MACHINES: [&str; 2] = ["aarch64", "x86_64"];

impl Target {
    /// Rust's name, such as `aarch64-unknown-linux-gnu`.
    #[must_use]
    pub fn triple(&self) -> &str {
        &self.triple
    }

    /// What `uname -m` says there, by which CANN names the folders of an install, such as
    /// `aarch64-linux`.
    #[must_use]
    pub fn machine(&self) -> &'static str {
        self.machine
    }
}

impl FromStr for Target {
    type Err = String;

    fn from_str(triple: &str) -> Result<Self, Self::Err> {
        let parts: Vec<&str> = triple.split('-').collect();
        let machine = MACHINES.into_iter().find(|machine| parts.first() == Some(machine));
        match machine.filter(|_| parts.contains(&"linux")) {
            Some(machine) => Ok(Self { triple: triple.to_owned(), machine }),
            None => Err("expected a target of Rust's for Linux on aarch64 or x86_64".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machines_are_named_as_uname_does() {
        for (triple, machine) in [
            ("aarch64-unknown-linux-gnu", "aarch64"),
            ("x86_64-unknown-linux-gnu", "x86_64"),
            ("x86_64-unknown-linux-musl", "x86_64"),
        ] {
            let target: Target = triple.parse().unwrap();
            assert_eq!((target.triple(), target.machine()), (triple, machine));
        }
        for triple in
            ["", "aarch64", "aarch64_be-unknown-linux-gnu", "arm64-linux", "aarch64-apple-darwin", "linux"]
        {
            assert!(triple.parse::<Target>().is_err(), "{triple}");
        }
    }
}
