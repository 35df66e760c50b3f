//! The generated matrix: operator × dtype × index dtype × shapes × layouts × in place or not, with
//! random data.
//!
//! A case depends only on its name and the seed, so it can be made again without the others.

mod arrangement;
mod form;
mod geometry;
mod scenario;
mod values;

use engines::case::{Case, Expected};
use engines::random::Random;
use scatter::{Axes, DType, Numbers, Parameter, Scalar};

use self::arrangement::{Arrangement, Role};
use self::form::Form;
use self::geometry::{Axis, Geometry, index_storage};
use self::scenario::Scenario;
use self::values::Corners;
use super::{Cases, Entry, Family, NotApplicable, may_be};

/// A case of the matrix whose tensors are not made yet.
#[derive(Clone, Copy, Debug)]
struct Point {
    form: Form,
    dtype: DType,
    index_dtype: DType,
    scenario: &'static Scenario,
    arrangement: Arrangement,
    in_place: bool,
}

/// The whole matrix under a seed. A stratum is a combination of operator, reduction and dtype; its
/// patterns are the scenarios.
pub(crate) fn cases(seed: u64) -> Cases {
    let mut cases = Cases::default();
    let forms = Form::all().flat_map(|form| DType::ALL.map(|dtype| (form, dtype)));
    for (stratum, (form, dtype)) in forms.enumerate() {
        match form.missing_for(dtype) {
            Some(reason) => cases.not_applicable.push(NotApplicable {
                family: Family::Matrix,
                operator: form.operator,
                dtype,
                what: format!("{}/{form}/{dtype}", Family::Matrix),
                reason: reason.to_owned(),
            }),
            None => cases.entries.extend(Point::all(form, dtype).map(|(pattern, point)| {
                let name = point.name();
                let build = {
                    let name = name.clone();
                    move || point.case(&name, seed)
                };
                Entry { stratum, pattern, ..Entry::new(Family::Matrix, name, (form.operator, dtype), build) }
            })),
        }
    }
    cases
}

/// How rarely [`drawn`] takes one of the large scenarios that it has drawn.
const LARGE: u64 = 20;

/// A case of the matrix at random, with data of its own.
pub(crate) fn drawn(random: &mut Random) -> Case {
    let forms: Vec<Form> = Form::all().collect();
    loop {
        let (form, dtype) = (random.pick(&forms), random.pick(&DType::ALL));
        let scenarios: Vec<&Scenario> = Scenario::of(form.operator).iter().collect();
        let point = Point {
            form,
            dtype,
            index_dtype: random.pick(&[DType::I32, DType::I64]),
            scenario: random.pick(&scenarios),
            arrangement: random.pick(&Arrangement::ALL),
            in_place: random.once_in(2),
        };
        let is_taken = !point.scenario.large || random.once_in(LARGE);
        if is_taken && form.missing_for(dtype).is_none() && point.is_included() {
            return point.case(&point.name(), random.bits());
        }
    }
}

impl Point {
    /// The points of a stratum, each with the number of its scenario.
    fn all(form: Form, dtype: DType) -> impl Iterator<Item = (usize, Self)> {
        let scenarios = Scenario::of(form.operator).iter().enumerate();
        scenarios
            .flat_map(|scenario| Arrangement::ALL.map(|arrangement| (scenario, arrangement)))
            .flat_map(|(scenario, arrangement)| {
                [false, true].map(|in_place| (scenario, arrangement, in_place))
            })
            .flat_map(move |((number, scenario), arrangement, in_place)| {
                let point = |index_dtype| Self { form, dtype, index_dtype, scenario, arrangement, in_place };
                [DType::I32, DType::I64].map(|index_dtype| (number, point(index_dtype)))
            })
            .filter(|(_, point)| point.is_included())
    }

    /// Whether to include the point: it must not equal another point, and of large scenarios only a
    /// few combinations are taken.
    fn is_included(&self) -> bool {
        let arrangement = match self.arrangement {
            Arrangement::Transposed => self.scenario.has_axes,
            Arrangement::ExpandedSrc => self.form.has_src(),
            _ => true,
        };
        let large = matches!(self.arrangement, Arrangement::Contiguous | Arrangement::Mixed);
        arrangement && may_be(self.form.operator, self.in_place) && (large || !self.scenario.large)
    }

    fn name(&self) -> String {
        let Self { form, dtype, index_dtype, scenario, arrangement, in_place } = self;
        let (scenario, place) = (scenario.name, if *in_place { "in-place" } else { "into" });
        format!("{}/{form}/{dtype}/{index_dtype}/{scenario}/{arrangement}/{place}", Family::Matrix)
    }

    fn case(&self, name: &str, seed: u64) -> Case {
        let mut random = Random::of(seed, name);
        let random = &mut random;
        let geometry = self.scenario.draw(random);
        let corners = Corners::drawn(random);
        let Geometry { self_, index, src, axis, .. } = &geometry;
        let (dim, expandable) = match *axis {
            Axis::Dim(dim) | Axis::Slices(dim) => (self.signed(dim, self_.len(), random), index.len()),
            Axis::Windows { dim, .. } => (self.signed(dim, self_.len(), random), 1),
            Axis::Leading(_) | Axis::Chosen(_) => (0, index.len().saturating_sub(1)),
            Axis::Rows => (0, index.len()),
        };
        let axes = if let Axis::Chosen(axes) = *axis { axes } else { Axes::NONE };
        // A row of out, or one beyond the last.
        let takes_padding = self.form.operator.takes(Parameter::Padding);
        let padding = (takes_padding && random.once_in(2)).then(|| random.between(0, self_[0]));
        let scalar = || {
            // If alpha is 1, nothing is multiplied.
            let is_one = self.form.operator.takes(Parameter::Alpha) && random.once_in(2);
            if is_one { Scalar::Int(1) } else { corners.scalar(self.dtype, random) }
        };
        let op = self.form.op(Numbers { dim, axes, padding, ..Numbers::default() }, scalar);

        let numbers = |shape: &[usize], role, random: &mut Random| {
            let elements = corners.fill(self.dtype, shape.iter().product(), random);
            self.arrangement.tensor(role, &elements, shape, random)
        };
        let index_values = index_storage(&geometry.index_values(random), self.index_dtype == DType::I32);
        let out_shape = if self.form.operator.signature().gathers { index } else { self_ };
        Case {
            name: name.to_owned(),
            op,
            self_: numbers(self_, if self.in_place { Role::Destination } else { Role::Read }, random),
            index: self.arrangement.tensor(Role::Index(expandable), &index_values, index, random),
            src: self.form.has_src().then(|| numbers(src, Role::Src, random)),
            out: (!self.in_place).then(|| numbers(out_shape, Role::Destination, random)),
            claim: None,
            expected: Expected::Reference,
        }
    }

    /// `dim` counted from the first axis, or at random from the last as a negative number.
    fn signed(&self, dim: usize, rank: usize, random: &mut Random) -> i64 {
        dim as i64 - if random.once_in(2) { rank.max(1) as i64 } else { 0 }
    }
}
