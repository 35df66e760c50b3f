//! The gradient of an embedding table, accumulated over batches that are copied while the device
//! works.
//!
//! A batch has the tokens of some texts and the gradient of each token's embedding; the gradients
//! of a token that occurs more than once are added. Two streams share the work: one copies a batch
//! from pinned memory, while the other adds the previous batch to the table. Neither waits for the
//! host, and no event is needed: streams wait for each other where they use the same tensor. The
//! result is compared with a plain loop, bit for bit.
//!
//! ```sh
//! cargo run -p aclnn --example embedding_gradient              # on this machine's CPU
//! cargo run -p aclnn --example embedding_gradient -- --load    # on an NPU, with the installed CANN
//! ```
#![allow(clippy::print_stdout)]

use aclnn::{Device, PinnedBuffer, Result, Runtime, Tensor, Transfer};

/// Rows of the table.
const VOCABULARY: usize = 1000;
/// Columns of the table.
const WIDTH: usize = 64;
/// Tokens of a batch.
const BATCH: usize = 256;
const BATCHES: usize = 20;

fn main() -> Result<()> {
    let runtime =
        if std::env::args().any(|word| word == "--load") { Runtime::load() } else { Runtime::host() };
    let device = runtime?.device(0)?;
    let (copies, sums) = (device.stream()?, device.stream()?);

    let mut table_grad = Tensor::<f32>::zeros([VOCABULARY, WIDTH], &device)?;
    let mut slots = [Slot::new(&device)?, Slot::new(&device)?];
    for batch in 0..BATCHES {
        // There is memory for two batches: one is copied while the other is added.
        let slot = &mut slots[batch % 2];
        let mut host = match slot.sent.take() {
            Some(Sent { tokens, grads }) => HostBatch { tokens: tokens.wait()?, grads: grads.wait()? },
            None => HostBatch::new(&device)?,
        };
        host.fill(batch);

        // The copy waits, on the device, until the previous batch in this memory has been added …
        let tokens = slot.tokens.copy_from_pinned(host.tokens, &copies)?;
        let grads = slot.grads.copy_from_pinned(host.grads, &copies)?;
        slot.sent = Some(Sent { tokens, grads });

        // … and the addition waits until this batch has been copied. The column of tokens is
        // broadcast to all columns, which uses no memory.
        let rows = slot.tokens.view().expand([BATCH, WIDTH])?;
        table_grad.scatter_add_(0, &rows, &slot.grads, &sums)?;
    }
    sums.synchronize()?; // would return an error for a token that is not in the vocabulary

    let table_grad = table_grad.to_vec(&sums)?;
    assert_eq!(table_grad, in_a_loop());
    println!("{BATCHES} batches of {BATCH} tokens added to [{VOCABULARY}, {WIDTH}]: every bit as in a loop");
    copies.close()?;
    sums.close()
}

/// A batch on the device.
struct Slot {
    /// `[BATCH, 1]`
    tokens: Tensor<i32>,
    /// `[BATCH, WIDTH]`
    grads: Tensor<f32>,
    /// The copies of the batch from the host, once they are enqueued.
    sent: Option<Sent>,
}

/// The enqueued copies of a batch, which own its pinned memory.
struct Sent {
    tokens: Transfer<PinnedBuffer<i32>>,
    grads: Transfer<PinnedBuffer<f32>>,
}

impl Slot {
    fn new(device: &Device) -> Result<Self> {
        let tokens = Tensor::<i32>::empty([BATCH, 1], device)?;
        Ok(Self { tokens, grads: Tensor::<f32>::empty([BATCH, WIDTH], device)?, sent: None })
    }
}

/// A batch on the host.
struct HostBatch {
    tokens: PinnedBuffer<i32>,
    grads: PinnedBuffer<f32>,
}

impl HostBatch {
    fn new(device: &Device) -> Result<Self> {
        let tokens = PinnedBuffer::new(device, BATCH)?;
        Ok(Self { tokens, grads: PinnedBuffer::new(device, BATCH * WIDTH)? })
    }

    /// Writes what a model's backward pass would produce.
    fn fill(&mut self, batch: usize) {
        self.tokens.iter_mut().enumerate().for_each(|(i, token)| *token = token_of(batch, i));
        self.grads.iter_mut().enumerate().for_each(|(i, grad)| *grad = grad_of(batch, i));
    }
}

/// Token `i` of a batch. Small numbers are frequent, as they are in texts.
fn token_of(batch: usize, i: usize) -> i32 {
    let even = (batch * BATCH + i) * 7919 % VOCABULARY;
    (even * even / VOCABULARY) as i32
}

/// Element `i` of a batch's gradients.
fn grad_of(batch: usize, i: usize) -> f32 {
    ((batch * 31 + i * 17) % 1009) as f32 / 1009.0 - 0.5
}

/// The same result, computed without an operator.
fn in_a_loop() -> Vec<f32> {
    let mut table_grad = vec![0.0; VOCABULARY * WIDTH];
    for batch in 0..BATCHES {
        for i in 0..BATCH {
            let row = token_of(batch, i) as usize * WIDTH;
            for j in 0..WIDTH {
                table_grad[row + j] += grad_of(batch, i * WIDTH + j);
            }
        }
    }
    table_grad
}
