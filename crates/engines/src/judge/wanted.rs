//! The expected content of a destination's storage after a call.

use scatter::Error;

use super::mismatch::{Element, Mismatch};
use crate::case::{Case, Expected};
use crate::engine::Reference;
use crate::storage::Storage;

/// The expected content of the destination's whole storage. All NaNs of the tensor are equal; what
/// doesn't belong to it must have the same bytes.
#[derive(Clone, Debug)]
pub struct Wanted {
    storage: Storage,
    /// The results of another implementation and how far an element may be from each, in the
    /// row-major order of the destination.
    within: Option<(Storage, Storage)>,
}

impl Wanted {
    /// The expected content for a case.
    ///
    /// The reference computes it out of place on contiguous copies, so that the reference itself is
    /// tested too where tensors are strided or the call is in place. Where it refuses the copies,
    /// there is nothing to compare with.
    ///
    /// # Errors
    /// The reference refuses the call.
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

    /// The first difference between the expected content and `got`, which an engine left.
    pub fn difference(&self, case: &Case, got: &Storage) -> Option<Mismatch> {
        let Differing { expected, addresses } = self.differing(case, got)?;
        Element::first(case, &addresses, &expected, got).map(Mismatch::Element)
    }

    /// All differences between the expected content and `got`; `None` if there is none. Those from
    /// another implementation's results come before those from the reference's.
    pub fn differing(&self, case: &Case, got: &Storage) -> Option<Differing> {
        if let Some((elements, bound)) = &self.within {
            let places = case.destination().addresses();
            let outside =
                |&(position, &address): &(usize, &usize)| !is_within(elements, bound, position, got, address);
            let mut addresses: Vec<usize> =
                places.iter().enumerate().filter(outside).map(|(_, &address)| address).collect();
            if !addresses.is_empty() {
                addresses.sort_unstable();
                let mut expected = case.destination().storage.clone();
                expected.scattered(&places, elements);
                return Some(Differing { expected, addresses });
            }
        }
        if self.storage == *got {
            return None;
        }
        let addresses = self.storage.differences_around(&case.destination().addresses(), got);
        (!addresses.is_empty()).then(|| Differing { expected: self.storage.clone(), addresses })
    }
}

/// Where a destination's storage differs from what is expected.
#[derive(Clone, Debug)]
pub struct Differing {
    /// The expected content of the storage.
    pub expected: Storage,
    /// The addresses at which it differs, at least one, in ascending order.
    pub addresses: Vec<usize>,
}

/// Whether the parts of an element are within the bound of another implementation's result. NaN is
/// within the bound of NaN only, and an infinity within that of the same infinity.
fn is_within(elements: &Storage, bound: &Storage, position: usize, got: &Storage, address: usize) -> bool {
    let (Some(expected), Some(got), Some([bound, _])) =
        (elements.parts(position), got.parts(address), bound.parts(position))
    else {
        return false;
    };
    let is_same = |expected: f64, got: f64| expected == got || expected.is_nan() && got.is_nan();
    expected.into_iter().zip(got).all(|(expected, got)| {
        // False if the difference or the bound is NaN.
        is_same(expected, got) || (expected - got).abs() <= bound
    })
}
