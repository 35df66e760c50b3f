//! Calls of both phases, in any order.

use std::ffi::c_void;
use std::ptr::{null_mut, without_provenance_mut};

use aclnn_scatter::sys::{AclnnStatus, aclOpExecutor, aclScalar, aclTensor};
use aclnn_scatter::{Check, set_check};
use scatter::{Addressing, Op, Reduce};

use super::{stream, tensor};
use crate::common::hostile::number;
use crate::common::messages;
use crate::common::tensors::Spec;
use crate::common::which::Which;
use crate::oracle::{Scatter, Tensors, Verdict, nd_form, operand, taken};
use crate::stream::{Failure, Status, Task};
use crate::world::{Executor, World, acl};

/// A handle for a tensor, and the tensor's description; `None` if the handle is not that of a live
/// tensor.
#[derive(Clone, Debug)]
pub(crate) struct Handle {
    pub(crate) raw: *mut aclTensor,
    pub(crate) spec: Option<Spec>,
}

impl Handle {
    pub(crate) const fn null() -> Self {
        Self { raw: null_mut(), spec: None }
    }
}

/// Asserts that a status is a documented code of phase one or of a refused phase two.
fn assert_documented(status: AclnnStatus) {
    assert!([161_001, 161_002, 361_001, 561_103].contains(&status.0), "{status}: {}", messages());
}

/// What phase one must return.
enum Expected {
    Success(Box<Tensors>),
    Refused,
    /// Success or refusal: only rules of the C functions, which this test does not model, decide.
    Either,
}

fn expected(which: Which, op: Op, handles: &[Handle; 4]) -> Expected {
    let is_needed = [true, true, which.takes_src(), !which.is_in_place()];
    if handles.iter().zip(is_needed).any(|(handle, needed)| needed && handle.spec.is_none()) {
        return Expected::Refused;
    }
    let operands = handles.each_ref().map(|handle| handle.spec.as_ref().and_then(operand));
    if operands.iter().zip(is_needed).any(|(operand, needed)| needed && operand.is_none()) {
        return Expected::Either;
    }
    // Tensors that the function does not take may be anything.
    let Some(any) = operands[0] else { return Expected::Either };
    let given = taken(which, operands.map(|operand| operand.unwrap_or(any)));
    let is_nd = which.addressing() == Addressing::Nd;
    let tensors = if is_nd { nd_form(which, &given) } else { Some(given) };
    let Some(tensors) = tensors else { return Expected::Either };
    let no_rank = |layout: Result<scatter::Layout, _>| layout.is_ok_and(|layout| layout.rank() == 0);
    if is_nd && tensors.src.is_some_and(|updates| no_rank(updates.layout)) {
        return Expected::Refused;
    }
    if which.addressing() == Addressing::Windows && tensors.lack_elements() {
        return Expected::Refused;
    }
    match tensors.problem(op) {
        Err(_) => Expected::Refused,
        Ok(_) if !tensors.are_addressable() => Expected::Refused,
        Ok(_) => Expected::Success(Box::new(tensors)),
    }
}

/// Calls phase one. Returns whether it made an executor, which the world keeps.
pub(crate) fn make(
    world: &mut World,
    which: Which,
    op: Op,
    handles: &[Handle; 4],
    value: *mut aclScalar,
) -> bool {
    let reduce = op.padding().map_or(op.reduce().code(), |row| row as i64);
    call(world, which, op, reduce, handles, value, [true; 2])
}

/// Calls phase one with a `reduce` that may be wrong, and with null pointers for results where
/// `places` says so.
fn call(
    world: &mut World,
    which: Which,
    op: Op,
    reduce: i64,
    handles: &[Handle; 4],
    value: *mut aclScalar,
    places: [bool; 2],
) -> bool {
    let tensors = handles.each_ref().map(|handle| handle.raw);
    let (mut size, mut raw) = (7_u64, null_mut::<aclOpExecutor>());
    let ws = if places[0] { &raw mut size } else { null_mut() };
    let ex = if places[1] { &raw mut raw } else { null_mut() };
    let parameters = (op.dim().unwrap_or(0), reduce, op.include_self());
    let status = which.first(tensors, value, parameters, ws, ex);
    world.called("phase one", status.0);
    let is_reduce = !which.takes_reduce() || Reduce::from_code(reduce).is_some();
    let expected = match expected(which, op, handles) {
        _ if !is_reduce || places != [true; 2] => Expected::Refused,
        expected => expected,
    };
    let told = |words: &str| format!("{words}: {status} of {which:?} {op:?} {handles:#?}: {}", messages());
    if !status.is_success() {
        assert_documented(status);
        assert!(size == 7 && raw.is_null(), "{}", told("a refused call has written"));
        assert!(!matches!(expected, Expected::Success(_)), "{}", told("refused"));
        return false;
    }
    assert_eq!(size, 0);
    let is_expected = !matches!(expected, Expected::Refused);
    assert!(is_expected, "{}", told("not refused"));
    let tensors = match expected {
        Expected::Success(tensors) => Some(tensors),
        _ => None,
    };
    let Some(tensors) = tensors else {
        assert_eq!(acl!(world, aclDestroyAclOpExecutor(raw)), 0, "{}", messages());
        world.end(3, raw.addr());
        return false;
    };
    let is_one = which.is_in_place() || handles[0].raw == handles[3].raw;
    let one_tensor = is_one.then_some(handles[0].raw);
    world.executors.push(Executor { raw, which, op, tensors: *tensors, one_tensor, is_repeatable: false });
    true
}

/// Calls phase one with random tensors.
pub(crate) fn first(world: &mut World) {
    let which = Which::ALL[world.random.below(Which::ALL.len())];
    let handles = std::array::from_fn(|_| tensor::any(world));
    let reduce = world.random.below(8) as i64 - 1;
    let known = Reduce::from_code(reduce).unwrap_or(Reduce::None);
    let (dim, include_self) = (number(&mut world.random), world.random.flip());
    let (value, number) = tensor::scalar(world);
    let op = which.op(dim, known, include_self, number);
    let places = [!world.one_in(40), !world.one_in(40)];
    call(world, which, op, reduce, &handles, value, places);
}

/// A call of phase two.
#[derive(Debug)]
pub(crate) struct Launch {
    /// The position of the executor in the world, if it is live.
    place: Option<usize>,
    pub(crate) raw: *mut aclOpExecutor,
    pub(crate) which: Which,
    workspace: (usize, u64),
}

impl Launch {
    /// A correct phase two of an executor.
    pub(crate) fn own(world: &World, place: usize) -> Self {
        let Executor { raw, which, .. } = world.executors[place];
        Self { place: Some(place), raw, which, workspace: (0, 0) }
    }

    /// Calls phase two on a stream that may be wrong.
    pub(crate) fn run(self, world: &mut World) {
        let (raw, stream) = stream::chosen(world);
        let executor = self.place.map(|place| world.executors[place].clone());
        let executor = executor.filter(|executor| executor.which == self.which);
        let has_workspace = self.workspace.1 == 0 || self.workspace.0 != 0;
        // The work that will be done if the stream accepts the call.
        let work = executor.as_ref().filter(|executor| has_workspace && !executor.lacks_address());
        let work = work.and_then(|executor| Scatter::new(executor.op, &executor.tensors).ok());
        let check = world.check;
        if check == Check::Sync {
            world.open_gates();
        }
        if let (Some(Some(scatter)), Some(stream)) = (&work, stream) {
            let (read, written) = scatter.ranges();
            world.order(Some(stream), &read, &[written]);
        }
        let (workspace, size): (*mut c_void, _) =
            (without_provenance_mut(self.workspace.0), self.workspace.1);
        let status = self.which.second_with((workspace, size), self.raw, without_provenance_mut(raw));
        world.called("phase two", status.0);
        let is_repeatable = executor.as_ref().is_some_and(|executor| executor.is_repeatable);
        if let Some(place) = self.place.filter(|_| executor.is_some() && !is_repeatable) {
            let ended = world.executors.swap_remove(place);
            world.end(3, ended.raw.addr());
        }
        match (work, stream) {
            (Some(None), _) => assert_eq!(status.0, 0, "{}", messages()),
            (Some(Some(scatter)), Some(stream)) if check == Check::Sync => {
                waited(world, stream, &scatter, status);
            }
            (Some(Some(mut scatter)), Some(stream)) => {
                assert_eq!(status.0, 0, "{scatter:?}: {}", messages());
                scatter.is_flagged = check == Check::Flag;
                world.push(stream, Task::Scatter(Box::new(scatter)));
            }
            _ => {
                assert!(!status.is_success(), "{self:?} {executor:#?} was not refused");
                assert_documented(status);
            }
        }
    }
}

/// Checks the result of a phase two that waits.
fn waited(world: &mut World, stream: usize, scatter: &Scatter, status: AclnnStatus) {
    world.settle(stream, None);
    let device = world.context(world.streams[stream].context).map_or(-1, |context| context.device);
    let (verdict, out) = scatter.verdict(&world.memory, device);
    let stream = &mut world.streams[stream];
    let may_fail = !stream.failures.is_empty();
    let must_fail = stream.failures.iter().any(|failure| failure.is_sure);
    match &verdict {
        Verdict::Outside => assert!(!status.is_success(), "{scatter:?} was done outside of memory"),
        Verdict::BadIndex { .. } => assert_eq!(status.0, 161_002, "{}", messages()),
        Verdict::Unknown => {}
        Verdict::Done if must_fail => assert_eq!(status.0, 361_001, "{}", messages()),
        Verdict::Done => assert!(status.is_success() || may_fail, "{status}: {}", messages()),
    }
    match verdict {
        Verdict::Done => scatter.write_out(&mut world.memory, out.as_deref()),
        Verdict::Unknown => scatter.write_out(&mut world.memory, None),
        Verdict::Outside | Verdict::BadIndex { .. } => {}
    }
    // The call may have taken the stream's failure, which is then no longer reported for sure.
    stream.failures.iter_mut().for_each(|failure| failure.is_sure = false);
    let code = aclnn_scatter::sys::ACL_ERROR_RT_VECTOR_CORE_EXCEPTION.0;
    stream.failures.push(Failure { code, is_sure: false });
    if stream.status == Status::None && verdict == Verdict::Unknown {
        stream.status = Status::Unknown;
    }
}

/// Calls phase two with a random executor, or with a handle that is none.
pub(crate) fn second(world: &mut World) {
    if world.one_in(60) {
        world.check = [Check::Flag, Check::Flag, Check::Sync, Check::Off][world.random.below(4)];
        set_check(world.check);
    }
    let place = world.place(world.executors.len()).filter(|_| !world.one_in(8));
    let mut launch = match place {
        Some(place) => Launch::own(world, place),
        None => {
            let raw = match world.random.below(6) {
                0 => 0,
                1 => 0x1000,
                2 => world.streams.first().map_or(0, |stream| stream.raw),
                _ => world.place(world.ended[3].len()).map_or(8, |place| world.ended[3][place]),
            };
            let lives = world.executors.iter().position(|executor| executor.raw.addr() == raw);
            let which = Which::ALL[world.random.below(Which::ALL.len())];
            Launch { place: lives, raw: without_provenance_mut(raw), which, workspace: (0, 0) }
        }
    };
    if world.one_in(10) {
        launch.which = Which::ALL[world.random.below(Which::ALL.len())];
    }
    if world.one_in(12) {
        launch.workspace = [(0, 64), (0x1000, 64), (0x1000, 0)][world.random.below(3)];
    }
    launch.run(world);
}
