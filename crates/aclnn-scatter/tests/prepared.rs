//! Scatters planned from a `Problem`: what is refused before launch, what is computed, and to which
//! call an index out of range is attributed.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use std::ffi::{CStr, c_void};
use std::ptr::null_mut;

use aclnn_scatter::sys::{AclnnStatus, Cann};
use aclnn_scatter::{
    Engine, Operands, Planned, PreparedScatter, Scope, Session, function_name, open, plan,
    take_error_message, take_stream_errors,
};
use common::Stream;
use common::tensors::Memory;
use scatter::{DType, Error, IndexList, Layout, Op, Operand, Problem};

const OP: Op = Op::ScatterAdd { dim: 0 };

fn session() -> &'static Session {
    open(Cann::from_table(host_cann::table()))
}

/// Tensors of four elements at these addresses of self (which is out), index and src.
fn operands(addresses: [usize; 3]) -> Operands {
    let operand = |dtype, address| Operand::new(dtype, Layout::contiguous(&[4], 4).unwrap(), address);
    let self_ = operand(DType::F32, addresses[0]);
    let (index, src) = (operand(DType::I64, addresses[1]), operand(DType::F32, addresses[2]));
    Operands { self_, index, src: Some(src), out: self_ }
}

fn planned(session: &'static Session, engine: Engine, operands: &Operands) -> Result<Planned, AclnnStatus> {
    let Operands { self_, index, src, out } = operands;
    let problem = Problem::new(OP, self_, index, src.as_ref(), out).unwrap();
    plan(session, engine, &problem, operands, None)
}

/// Plans a scatter that an engine of this library must compute.
fn prepare(
    session: &'static Session,
    engine: Engine,
    operands: &Operands,
) -> Result<PreparedScatter, AclnnStatus> {
    planned(session, engine, operands).map(|planned| match planned {
        Planned::Here(prepared) => prepared,
        Planned::Vendor(_) => panic!("CANN's own operator"),
    })
}

#[test]
fn an_address_that_can_t_be_is_told_with_its_tensor() {
    for (place, name) in ["self", "index", "src"].into_iter().enumerate() {
        let mut addresses = [0x1000, 0x2000, 0x3000];
        addresses[place] += 1;
        let code = prepare(session(), Engine::Auto, &operands(addresses)).unwrap_err();
        let words = take_error_message().unwrap();
        assert_eq!(code.0, 561_103, "{words}");
        assert!(words.contains(&format!("{name}: an address that is a multiple of")), "{words}");

        addresses[place] = 0;
        let prepared = prepare(session(), Engine::Auto, &operands(addresses)).unwrap();
        // SAFETY: the launch is refused, and accesses no memory.
        let code = unsafe { prepared.launch(null_mut(), null_mut(), 0) };
        let words = take_error_message().unwrap();
        assert_eq!(code.0, 161_001, "{words}");
        assert!(words.contains(&format!("{name}: an address expected, got null")), "{words}");
    }
}

/// Each tensor of a list is checked in the place of index.
#[test]
fn an_address_of_a_list_that_can_t_be_is_told() {
    let of = |dtype, shape: &[usize], address| Operand {
        dtype: Ok(dtype),
        layout: Layout::contiguous(shape, 8),
        address,
    };
    let (self_, values) = (of(DType::F32, &[2; 3], 0x1000), of(DType::F32, &[1], 0x3000));
    let planned = |second| {
        let list = [Some(of(DType::I64, &[4], 0x2000)), None, Some(of(DType::I64, &[4], second))];
        let list = Box::new(IndexList::in_call(&list, &self_, Some(&values), &self_).unwrap());
        let op = Op::IndexPut { axes: list.axes(), accumulate: true };
        let operands = Operands { self_, index: list.operand(), src: Some(values), out: self_ };
        let problem = Problem::new(op, &self_, &operands.index, Some(&values), &self_).unwrap();
        match plan(session(), Engine::Auto, &problem, &operands, Some(list)) {
            Ok(Planned::Here(prepared)) => Ok(prepared),
            Ok(Planned::Vendor(_)) => panic!("CANN's own operator"),
            Err(code) => Err(code),
        }
    };
    assert_eq!(planned(0x4001).unwrap_err().0, 561_103);
    let words = take_error_message().unwrap();
    assert!(words.contains("indices[2]: an address that is a multiple of"), "{words}");
    // SAFETY: the launch is refused, and accesses no memory.
    let code = unsafe { planned(0).unwrap().launch(null_mut(), null_mut(), 0) };
    assert_eq!(code.0, 161_001);
    let words = take_error_message().unwrap();
    assert!(words.contains("indices[2]: an address expected, got null"), "{words}");
}

#[test]
fn an_engine_that_can_t_be_had_is_told() {
    let operands = operands([0x1000, 0x2000, 0x3000]);
    let none = open(Cann::from_table([]));
    for (session, engine, expected) in [
        (session(), Engine::Vendor, "host-cann is a CANN without operators of its own"),
        (none, Engine::Cpu, "it needs host-cann"),
    ] {
        let code = prepare(session, engine, &operands).unwrap_err();
        let words = take_error_message().unwrap();
        assert_eq!(code.0, 561_003, "{words}");
        assert!(words.contains(function_name(&OP)) && words.contains(expected), "{words}");
    }
    // CANN's own operator checks addresses itself.
    for engine in [Engine::Auto, Engine::Vendor] {
        let Planned::Vendor(pair) = planned(none, engine, &operands).unwrap() else { panic!("{engine:?}") };
        assert_eq!(pair.name(), function_name(&OP));
    }
}

/// The message goes to the session that was passed, not to that of the thread's scope or the
/// process.
#[test]
fn a_failure_has_its_words_in_the_cann_of_its_session() {
    let (host, none) = (session(), open(Cann::from_table([])));
    let operands = operands([0x1000, 0x2000, 0x3000]);
    let noted = || {
        // SAFETY: host-cann returns null or a C string, which is valid until the thread's next
        // call.
        let words = unsafe { host_cann::c::aclGetRecentErrMsg() };
        // SAFETY: the text is a C string, which is valid until the thread's next call.
        (!words.is_null()).then(|| unsafe { CStr::from_ptr(words) }.to_str().unwrap().to_owned())
    };
    assert!(Scope::new(none).run(|| prepare(host, Engine::Vendor, &operands)).is_err());
    assert!(noted().unwrap().contains("engine vendor: host-cann is"));
    assert!(Scope::new(host).run(|| prepare(none, Engine::Cpu, &operands)).is_err());
    assert_eq!(noted(), None);

    let nowhere = Operands { index: Operand { address: 0, ..operands.index }, ..operands };
    let prepared = prepare(host, Engine::Cpu, &nowhere).unwrap();
    // SAFETY: the launch is refused, and accesses no memory.
    let code = Scope::new(none).run(|| unsafe { prepared.launch(null_mut(), null_mut(), 0) });
    assert_eq!(code.0, 161_001);
    assert!(noted().unwrap().contains("index: an address expected, got null"));
}

#[test]
fn it_computes_and_an_index_out_of_range_is_told_with_its_number() {
    let (stream, session) = (Stream::new(), session());
    let out = Memory::of(&[1.0_f32, 2.0, 3.0, 4.0]);
    let (index, src) = (Memory::of(&[3_i64, 0, -1, 1]), Memory::of(&[0.5_f32; 4]));
    let operands_with = |index: &Memory| {
        operands([out.address, index.address, src.address].map(<*mut c_void>::expose_provenance))
    };
    let launch = |operands: &Operands, ticket| {
        let prepared = prepare(session, Engine::Cpu, operands).unwrap();
        assert_eq!(prepared.workspace_bytes(), 0);
        // SAFETY: the memory lives until the stream is synchronised.
        assert!(unsafe { prepared.launch(null_mut(), stream.raw, ticket) }.is_success());
    };
    launch(&operands_with(&index), 1);
    assert!(stream.synchronize().is_success());
    assert_eq!(out.read::<f32>(), [1.5, 2.5, 3.0, 5.0]);
    assert!(take_stream_errors(session, stream.raw).is_empty());

    let bad = Memory::of(&[0_i64, 0, 4, 0]);
    launch(&operands_with(&bad), 2);
    assert!(!stream.synchronize().is_success());
    let told = take_stream_errors(session, stream.raw);
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].tickets, 2..=2);
    assert!(matches!(told[0].error, Error::IndexOutOfRange { value: 4, size: 4, .. }), "{:?}", told[0].error);
    assert_eq!(out.read::<f32>(), [1.5, 2.5, 3.0, 5.0]);
}
