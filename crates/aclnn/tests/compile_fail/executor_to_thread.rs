//! An executor can't move to another thread.

fn send<T: Send>(_: T) {}

fn elsewhere(executor: aclnn::Executor) {
    send(executor);
}

fn main() {}
