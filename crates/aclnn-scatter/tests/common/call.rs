//! A valid call of phase one whose arguments tests change to break rules.

use std::ptr::null_mut;

use aclnn_scatter::sys::{ACL_DOUBLE, ACL_FLOAT, ACL_INT64, AclnnStatus, aclDataType, aclOpExecutor};

use scatter::Addressing;

use super::tensors::{Memory, Scalar, Spec, Tensor, zeros};
pub(crate) use super::which::Which;

/// The arguments of a call. A tensor that is `None` is passed as null.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) which: Which,
    pub(crate) self_: Option<Spec>,
    pub(crate) index: Option<Spec>,
    pub(crate) src: Option<Spec>,
    pub(crate) out: Option<Spec>,
    /// Whether the same handle is passed as self and as out.
    pub(crate) out_is_self: bool,
    pub(crate) value: Option<(f64, aclDataType)>,
    pub(crate) dim: i64,
    pub(crate) reduce: i64,
    pub(crate) has_workspace_size: bool,
    pub(crate) has_executor: bool,
}

/// Memory for the tensors of a call, one page for each.
pub(crate) struct Pages(pub(crate) [Memory; 4]);

impl Pages {
    pub(crate) fn new() -> Self {
        Self(std::array::from_fn(|_| Memory::of(&zeros::<u64>(512))))
    }
}

impl Call {
    /// A call that breaks no rule: self and out `[4, 5]`, along axis 1, all f32. index and src are
    /// `[2, 3]` and `[2, 4]`, or as the function's way to name targets demands.
    pub(crate) fn new(which: Which, pages: &Pages) -> Self {
        let [self_, index, src_address, out] = pages.0.each_ref().map(|page| page.address);
        let (index_shape, src): (&[i64], &[i64]) = match which.addressing() {
            Addressing::Nd => (&[3, 1], &[3, 5]),
            Addressing::Slices => (&[3], &[4, 3]),
            Addressing::Windows => (&[3], &[3, 2]),
            Addressing::Rows => (&[3], &[3, 5]),
            _ => (&[2, 3], &[2, 4]),
        };
        let index = Spec::new(ACL_INT64, index_shape, index);
        Self {
            which,
            self_: Some(Spec::new(ACL_FLOAT, &[4, 5], self_)),
            index: Some(index),
            src: Some(Spec::new(ACL_FLOAT, src, src_address)),
            out: Some(Spec::new(ACL_FLOAT, if which.gathers() { &[2, 3] } else { &[4, 5] }, out)),
            out_is_self: false,
            value: Some((1.0, ACL_DOUBLE)),
            dim: 1,
            reduce: 1,
            has_workspace_size: true,
            has_executor: true,
        }
    }

    /// Calls phase one, and destroys the executor that it makes. Returns the status and the
    /// message.
    pub(crate) fn run(&self) -> (AclnnStatus, String) {
        let _ = super::messages();
        let begun = self.begin();
        if begun.status.is_success() {
            // SAFETY: the executor has not run.
            let destroyed = unsafe { super::cann().aclDestroyAclOpExecutor(begun.executor) }.unwrap();
            assert!(destroyed.is_success(), "{}", super::messages());
        }
        (begun.status, super::messages())
    }

    /// Calls phase one. The caller gets the executor, and the handles with which phase one was
    /// called.
    pub(crate) fn begin(&self) -> Begun {
        let create = |spec: &Option<Spec>| spec.as_ref().map(Spec::create);
        let [self_, index, src, out] = [&self.self_, &self.index, &self.src, &self.out].map(create);
        let value = self.value.map(|(value, dtype)| scalar(value, dtype));
        let (mut size, mut executor) = (7_u64, null_mut::<aclOpExecutor>());
        let raw = |tensor: &Option<Tensor>| tensor.as_ref().map_or(null_mut(), |tensor| tensor.0);
        let out_raw = if self.out_is_self { raw(&self_) } else { raw(&out) };
        let status = self.which.first(
            [raw(&self_), raw(&index), raw(&src), out_raw],
            value.as_ref().map_or(null_mut(), |value| value.0),
            (self.dim, self.reduce, true),
            if self.has_workspace_size { &raw mut size } else { null_mut() },
            if self.has_executor { &raw mut executor } else { null_mut() },
        );
        if status.is_success() {
            assert_eq!(size, 0);
        } else {
            assert_eq!((size, executor), (7, null_mut()), "a refused call has written");
        }
        Begun { status, executor, self_, index, src, out, _value: value }
    }
}

/// The result of phase one, and the handles with which it was called.
pub(crate) struct Begun {
    pub(crate) status: AclnnStatus,
    pub(crate) executor: *mut aclOpExecutor,
    pub(crate) self_: Option<Tensor>,
    pub(crate) index: Option<Tensor>,
    pub(crate) src: Option<Tensor>,
    pub(crate) out: Option<Tensor>,
    _value: Option<Scalar>,
}

/// A scalar of a dtype, from its value, or for some dtypes from the bytes of the f64.
fn scalar(value: f64, dtype: aclDataType) -> Scalar {
    match dtype {
        ACL_FLOAT => Scalar::new(value as f32, dtype),
        ACL_INT64 => Scalar::new(value as i64, dtype),
        ACL_DOUBLE => Scalar::new(value, dtype),
        _ => Scalar::new([value, 1.0], dtype),
    }
}

/// A change that breaks a rule, the code for that, and a part of its message.
pub(crate) type Rule = (fn(&mut Call), i32, &'static str);

pub(crate) fn self_(call: &mut Call) -> &mut Spec {
    call.self_.as_mut().unwrap()
}
pub(crate) fn index(call: &mut Call) -> &mut Spec {
    call.index.as_mut().unwrap()
}
pub(crate) fn src(call: &mut Call) -> &mut Spec {
    call.src.as_mut().unwrap()
}
pub(crate) fn out(call: &mut Call) -> &mut Spec {
    call.out.as_mut().unwrap()
}

/// The tensor that the call writes.
pub(crate) fn written(call: &mut Call) -> &mut Spec {
    if call.which.is_in_place() { self_(call) } else { out(call) }
}

/// Gives a tensor another shape; its storage is the whole page.
pub(crate) fn reshape(spec: &mut Spec, shape: &[i64]) {
    *spec = Spec { storage: vec![256], ..Spec::new(spec.dtype, shape, spec.address) };
}

/// Makes the first stride negative, or the offset if there are no axes.
pub(crate) fn turn(spec: &mut Spec) {
    match spec.strides.first_mut() {
        Some(stride) => *stride = -1,
        None => spec.offset = -1,
    }
}

pub(crate) fn assert_refused(call: &Call, code: i32, words: &str) {
    let (status, message) = call.run();
    assert_eq!(status.0, code, "{words}: {message}\n{call:?}");
    assert!(message.contains(words), "{words:?} expected: {message}\n{call:?}");
}

/// Asserts that a function accepts a valid call, and refuses a call that breaks one of the rules,
/// or two, as the first of them says. `{self}` and `{out}` stand for the names in the prototype.
pub(crate) fn assert_in_order(which: Which, pages: &Pages, rules: &[Rule]) {
    let (status, message) = Call::new(which, pages).run();
    assert_eq!(status.0, 0, "{which:?}: {message}");
    for (place, (break_one, code, words)) in rules.iter().enumerate() {
        let [self_, .., out] = which.names();
        let words = &words.replace("{self}", self_).replace("{out}", out);
        let mut call = Call::new(which, pages);
        break_one(&mut call);
        assert_refused(&call, *code, words);
        for (break_later, ..) in &rules[place + 1..] {
            // Break the later rule first, because a tensor that is null can't be changed any more,
            // and nulls are the first rules.
            let mut call = Call::new(which, pages);
            break_later(&mut call);
            break_one(&mut call);
            assert_refused(&call, *code, words);
        }
    }
}
