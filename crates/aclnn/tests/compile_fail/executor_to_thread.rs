//! An executor stays on its thread.

fn send<T: Send>(_: T) {}

fn elsewhere(executor: aclnn::Executor) {
    send(executor);
}

fn main() {}
