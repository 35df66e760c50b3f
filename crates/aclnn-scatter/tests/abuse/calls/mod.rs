//! Makes random calls, one after the other.

pub(crate) mod address;
mod copy;
mod event;
mod executor;
mod family;
mod fork;
mod memory;
mod phase;
mod runtime;
mod stream;
mod tensor;

use super::world::World;

/// Makes one random call of a kind, or a few.
type Step = fn(&mut World);

/// The steps, each with its weight: its share in the sum of all weights is how often it is done.
const STEPS: [(usize, Step); 23] = [
    (60, family::scatter),
    (8, phase::first),
    (25, phase::second),
    (6, executor::destroy),
    (8, executor::set_repeatable),
    (16, executor::set_address),
    (8, tensor::create),
    (10, tensor::destroy),
    (4, tensor::ask),
    (10, memory::allocate),
    (8, memory::free),
    (10, copy::copy),
    (5, copy::fill),
    (3, stream::create),
    (2, stream::destroy),
    (14, stream::synchronize),
    (2, stream::abort),
    (6, stream::hold),
    (2, stream::fail),
    (6, event::any),
    (3, runtime::any),
    (2, runtime::check),
    (1, fork::fork),
];

/// Makes random calls until `calls` have been made.
pub(crate) fn run(world: &mut World, calls: usize) {
    let all: usize = STEPS.iter().map(|(weight, _)| weight).sum();
    while world.calls < calls {
        // On a thread without a context most calls only fail.
        if world.current == 0 && !world.one_in(8) {
            let device = world.random.below(2) as i32;
            world.set_device(device);
        }
        let mut left = world.random.below(all);
        for (weight, step) in STEPS {
            if left < weight {
                step(world);
                break;
            }
            left -= weight;
        }
    }
}
