//! What the storage of a destination must be afterwards.

use scatter::Error;

use super::mismatch::{Element, Mismatch};
use crate::case::{Case, Expected};
use crate::engine::Reference;
use crate::storage::Storage;

/// What must be in the destination's storage, all of it: what the tensor doesn't reach stays as it
/// was.
#[derive(Clone, Debug)]
pub struct Wanted {
    storage: Storage,
    /// Another's results and how far from each an element may be, in the order of the storage's
    /// elements.
    within: Option<(Storage, Storage)>,
}

impl Wanted {
    /// What a case asks for.
    ///
    /// The reference decides on contiguous copies and out of place, so that it is held to the
    /// contract too where tensors are strided or the call is in place. Where it refuses them, there
    /// is nothing to compare with.
    ///
    /// # Errors
    /// How the reference refuses the call.
    pub fn of(case: &Case) -> Result<Self, Error> {
        let before = case.destination();
        let after = |elements: &Storage| {
            let mut storage = before.storage.clone();
            storage.scattered(&before.addresses(), elements);
            storage
        };
        let reference = || {
            let mut plain = case.plain();
            Reference::compute(&mut plain.call())?;
            Ok(after(&plain.destination().storage))
        };
        Ok(match &case.expected {
            Expected::Refusal(_) => Self { storage: before.storage.clone(), within: None },
            Expected::Elements(elements) => Self { storage: after(elements), within: None },
            Expected::Reference => Self { storage: reference()?, within: None },
            Expected::Within { elements, bound } => {
                Self { storage: reference()?, within: Some((elements.clone(), bound.clone())) }
            }
        })
    }

    /// The first difference to what an engine left behind.
    pub fn difference(&self, case: &Case, got: &Storage) -> Option<Mismatch> {
        if let Some((elements, bound)) = &self.within {
            let addresses = case.destination().addresses();
            let outside =
                |&(position, &address): &(usize, &usize)| !is_within(elements, bound, position, got, address);
            let mut outsiders: Vec<usize> =
                addresses.iter().enumerate().filter(outside).map(|(_, &address)| address).collect();
            outsiders.sort_unstable();
            let mut expected = case.destination().storage.clone();
            expected.scattered(&addresses, elements);
            if let Some(element) = Element::first(case, &outsiders, &expected, got) {
                return Some(Mismatch::Element(element));
            }
        }
        let addresses = self.storage.differences(got);
        Element::first(case, &addresses, &self.storage, got).map(Mismatch::Element)
    }
}

/// Whether the parts of an element are no further from another's result than its bound. No bound
/// reaches from a number to NaN; NaN is NaN, and an infinity is as far as itself.
fn is_within(elements: &Storage, bound: &Storage, position: usize, got: &Storage, address: usize) -> bool {
    let (Some(expected), Some(got), Some([bound, _])) =
        (elements.parts(position), got.parts(address), bound.parts(position))
    else {
        return false;
    };
    let is_same = |expected: f64, got: f64| expected == got || expected.is_nan() && got.is_nan();
    expected.into_iter().zip(got).all(|(expected, got)| {
        // Written so that a difference or a bound that is NaN is too far.
        is_same(expected, got) || (expected - got).abs() <= bound
    })
}
