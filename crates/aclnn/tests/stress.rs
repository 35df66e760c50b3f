//! Eight threads on one device, with everything that may be done at any time.

#![allow(clippy::unwrap_used, clippy::panic)]

use aclnn::{Device, Event, PinnedBuffer, Reduce, Result, Runtime, Stream, Tensor};
use host_cann::Counters;

const THREADS: u64 = 8;
/// Scatters of each thread.
const CALLS: u64 = 50_000 / THREADS;
const SIZE: usize = 12;

/// Numbers that look random.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// One thread: its own sums with what they should be, on streams that come and go, and the sums of all.
fn run(thread: u64, device: &Device, shared: &[Stream], mut total: Tensor<i64>) -> Result<()> {
    let mut numbers = Numbers(thread);
    let mut own: Option<Stream> = None;
    let mut sums = Tensor::<i64>::zeros([SIZE], device)?;
    let mut wanted = [0_i64; SIZE];
    for call in 0..CALLS {
        if numbers.below(200) == 0 {
            // Closed or dropped with work in flight.
            match own.replace(device.stream()?) {
                Some(stream) if call % 2 == 0 => stream.close()?,
                _ => {}
            }
        }
        let stream = match &own {
            Some(own) if numbers.below(2) == 0 => own,
            _ => &shared[numbers.below(shared.len() as u64) as usize],
        };
        let places: Vec<i64> = (0..4).map(|_| numbers.below(SIZE as u64) as i64).collect();
        let index = Tensor::from_slice(&places, [4], device)?;
        match numbers.below(8) {
            0 => {
                let src = Tensor::<i64>::new([1, 2, 3, 4], device)?;
                sums = sums.scatter_add(0, &index, &src, stream)?;
                places.iter().zip(1..).for_each(|(&place, update)| wanted[place as usize] += update);
            }
            1 => {
                sums.scatter_(0, &index, 7, Reduce::None, stream)?;
                places.iter().for_each(|&place| wanted[place as usize] = 7);
            }
            2 => {
                // Replaced by its copy; the old one goes while work may use it.
                let mut copy = Tensor::<i64>::zeros([SIZE], device)?;
                copy.copy_from(&sums, stream)?;
                sums = copy;
            }
            3 if call % 16 == 0 => {
                let back = sums.copy_to_pinned(PinnedBuffer::new(device, SIZE)?, stream)?;
                assert_eq!(*back.wait()?, wanted);
            }
            3 => {
                let mut event = Event::new(device)?;
                stream.record(&mut event)?;
                shared[0].wait(&event)?;
                // Sent, and forgotten.
                drop(sums.copy_to_pinned(PinnedBuffer::new(device, SIZE)?, stream)?);
            }
            4 if call % 16 == 0 => assert_eq!(sums.to_vec(stream)?, wanted),
            _ => {
                sums.scatter_(0, &index, 1, Reduce::Add, stream)?;
                places.iter().for_each(|&place| wanted[place as usize] += 1);
            }
        }
        total.scatter_(0, &index, 1, Reduce::Add, stream)?;
    }
    assert_eq!(sums.to_vec(&shared[0])?, wanted);
    Ok(())
}

#[test]
fn threads_do_everything_at_once() -> Result<()> {
    let runtime = Runtime::host()?;
    let device = runtime.device(0)?;
    let shared: Vec<Stream> = (0..3).map(|_| device.stream()).collect::<Result<_>>()?;
    let total = Tensor::<i64>::zeros([SIZE], &device)?;
    std::thread::scope(|scope| {
        let run = |thread| {
            let (device, shared, total) = (&device, &shared, total.share());
            scope.spawn(move || run(thread, device, shared, total))
        };
        let threads: Vec<_> = (0..THREADS).map(run).collect();
        threads.into_iter().try_for_each(|thread| thread.join().unwrap())
    })?;
    let sum: i64 = total.to_vec(&shared[0])?.iter().sum();
    assert_eq!(sum as u64, 4 * THREADS * CALLS);
    drop(total);
    shared.into_iter().try_for_each(Stream::close)?;
    device.close()?;
    runtime.close()?;
    assert_eq!(Counters::leftovers(), Some(Counters::default()));
    assert_eq!(Counters::now(), Counters::default());
    assert_eq!(aclnn_scatter::live_executors(), 0);
    Ok(())
}
