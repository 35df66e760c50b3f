//! The steps of one thread.

use std::collections::{BTreeMap, BTreeSet};

use aclnn::{
    DType, Device, Error, Event, PinnedBuffer, Result, Runtime, Stream, Tensor, TensorBase, Transfer,
};

use crate::model::{Data, Failure, Index, LEN, Numbers, expect_failure, failure};

/// A stream, and the failures that it has to return.
struct Track {
    stream: Stream,
    id: u64,
    /// The failures of its work that it has not returned yet.
    failures: Vec<Failure>,
    /// Failures of the work before events that it was told to wait for.
    awaited: BTreeSet<Failure>,
}

/// A copy to the host, and the data that it should copy.
type Sent = (Transfer<PinnedBuffer<i64>>, Data);

/// What a thread has done.
#[derive(Debug, Default)]
pub(crate) struct Ended {
    /// The sum of what it has added to the total.
    pub(crate) added: i64,
    failures: usize,
    compared: usize,
    pub(crate) forgotten_streams: usize,
}

/// The objects that a thread owns.
pub(crate) struct World {
    numbers: Numbers,
    device: Device,
    tracks: Vec<Track>,
    slots: Vec<(Tensor<i64>, Data)>,
    events: Vec<(Event, BTreeSet<Failure>)>,
    sent: Vec<Sent>,
    /// Failures that have not been taken from their stream, with the number of that stream.
    untaken: BTreeMap<Failure, u64>,
    latest: i64,
    streams: u64,
    total: Tensor<i64>,
    adding: Stream,
    forgets: bool,
    ended: Ended,
}

/// One of several parts of a tensor or view of shape `[4, 6]`.
fn part<H>(tensor: TensorBase<H, i64>, which: usize) -> Result<TensorBase<H, i64>> {
    match which {
        0 => tensor.narrow(0, 1..3),
        1 => tensor.narrow(1, 2..6),
        2 => tensor.transpose(0, 1),
        3 => tensor.slice(1, 0..6, 2),
        4 => tensor.reshape([8, 3]),
        _ => Ok(tensor),
    }
}

const PARTS: usize = 8;

impl World {
    pub(crate) fn new(seed: u64, total: Tensor<i64>, forgets: bool) -> Result<Self> {
        let device = Runtime::host()?.device(0)?;
        let mut world = Self {
            numbers: Numbers(seed),
            adding: device.stream()?,
            device,
            tracks: Vec::new(),
            slots: Vec::new(),
            events: Vec::new(),
            sent: Vec::new(),
            untaken: BTreeMap::new(),
            latest: 1000,
            streams: 0,
            total,
            forgets,
            ended: Ended::default(),
        };
        for _ in 0..3 {
            let track = world.track()?;
            world.tracks.push(track);
            world.events.push((Event::new(&world.device)?, BTreeSet::new()));
        }
        for _ in 0..6 {
            let slot = world.slot()?;
            world.slots.push(slot);
        }
        Ok(world)
    }

    pub(crate) fn run(mut self, steps: u64) -> Result<Ended> {
        for _ in 0..steps {
            self.step()?;
        }
        self.end()
    }

    fn track(&mut self) -> Result<Track> {
        self.streams += 1;
        let (stream, id) = (self.device.stream()?, self.streams);
        Ok(Track { stream, id, failures: Vec::new(), awaited: BTreeSet::new() })
    }

    fn elements(&mut self) -> Vec<i64> {
        (0..LEN).map(|_| self.numbers.below(100) as i64).collect()
    }

    fn slot(&mut self) -> Result<(Tensor<i64>, Data)> {
        let elements = self.elements();
        let tensor = Tensor::from_slice(&elements, [4, 6], &self.device)?;
        Ok((tensor, Data::of(elements)))
    }

    /// Those failures of a set that have not been taken.
    fn untaken(&self, failures: &BTreeSet<Failure>) -> BTreeSet<Failure> {
        failures.iter().copied().filter(|failure| self.untaken.contains_key(failure)).collect()
    }

    fn step(&mut self) -> Result<()> {
        let track = self.numbers.below(self.tracks.len());
        match self.numbers.below(20) {
            0..=6 => self.scatter(track),
            7 => self.copy(track),
            8 => self.write(track),
            9..=11 => self.read(track),
            12 => self.send(track),
            13 => self.receive(),
            14 => self.bring(track),
            15 => self.event(track),
            16 => self.wait(track),
            17 if self.numbers.chance(4) => self.replace_stream(track),
            17 => self.replace_slot(),
            18 => self.refused(track),
            _ => self.add(),
        }
    }

    /// Two different slots.
    fn two(&mut self) -> (usize, usize) {
        let (to, from) = (self.numbers.below(self.slots.len()), self.numbers.below(self.slots.len() - 1));
        (to, if from >= to { from + 1 } else { from })
    }

    /// Scatters in place, into another tensor or into a new one; sometimes with an index out of
    /// range.
    fn scatter(&mut self, track: usize) -> Result<()> {
        let (to, from) = self.two();
        let (which, way) = (self.numbers.below(PARTS), self.numbers.below(4));
        let src_part = self.numbers.below(PARTS);
        let Track { stream, id, .. } = &self.tracks[track];
        let (src, src_data) = (part(self.slots[from].0.share(), src_part)?, self.slots[from].1.clone());
        let whole = part(self.slots[to].0.share(), which)?;
        let mut index = Index::new(&mut self.numbers, whole.shape(), src.shape());
        let good = index.values.clone();
        let bad = self.numbers.chance(12).then(|| {
            self.latest += 1;
            let place = self.numbers.below(index.values.len());
            index.values[place] = self.latest;
            self.latest
        });
        let indices = Tensor::<i64>::from_slice(&index.values, index.shape, stream)?;
        let mut into = None;
        if way == 0 {
            // Into a tensor of the same shape that shares memory with neither.
            let out = self.slots.iter().position(|(tensor, _)| {
                ![to, from].iter().any(|slot| tensor.buffer().is_shared_with(self.slots[*slot].0.buffer()))
            });
            into = out;
        }
        let (index_dim, reduce) = (index.dim, index.reduce);
        index.values = good;
        let self_data = self.slots[to].1.clone();
        let mut result = self_data.clone();
        if bad.is_none() {
            result.scatter(whole.layout(), &index, &src_data, src.layout());
        }
        let computed = result.read(whole.layout());
        match (way, into) {
            (0, Some(out)) => {
                let (tensor, data) = &mut self.slots[out];
                let mut view = part(tensor.view_mut(), which)?;
                whole.scatter_into(index_dim, &indices, &src, reduce, &mut view, stream)?;
                data.comes_from(*id, [&self_data, &src_data], view.elements() == LEN);
                data.failures.extend(bad);
                if bad.is_none() {
                    data.write(view.layout(), computed.as_deref());
                }
            }
            (1, _) => {
                let tensor = whole.scatter(index_dim, &indices, &src, reduce, stream)?;
                if tensor.elements() == LEN {
                    let mut data = Data::of(Vec::new());
                    data.comes_from(*id, [&self_data, &src_data], true);
                    data.failures.extend(bad);
                    data.elements = computed.filter(|_| bad.is_none());
                    self.slots[to] = (tensor.reshape([4, 6])?, data);
                }
            }
            _ => {
                let (tensor, data) = &mut self.slots[to];
                part(tensor.view_mut(), which)?.scatter_(index_dim, &indices, &src, reduce, stream)?;
                *data = result;
                data.comes_from(*id, [&src_data], false);
                data.failures.extend(bad);
            }
        }
        if let Some(bad) = bad {
            self.ended.failures += 1;
            self.untaken.insert(bad, self.tracks[track].id);
            self.tracks[track].failures.push(bad);
        }
        Ok(())
    }

    /// Copies a part of one tensor to a part of another.
    fn copy(&mut self, track: usize) -> Result<()> {
        let (to, from) = self.two();
        let which = self.numbers.below(PARTS);
        let Track { stream, id, .. } = &self.tracks[track];
        let (source, read) = (self.slots[from].0.share(), self.slots[from].1.clone());
        let (tensor, data) = &mut self.slots[to];
        let (mut view, source) = (part(tensor.view_mut(), which)?, part(source, which)?);
        view.copy_from(&source, stream)?;
        data.comes_from(*id, [&read], view.elements() == LEN);
        data.write(view.layout(), read.read(source.layout()).as_deref());
        Ok(())
    }

    /// The failures that a call that waited for a stream has to return before any other.
    fn waited(&mut self, track: usize) -> BTreeSet<Failure> {
        let awaited = self.untaken(&self.tracks[track].awaited);
        let track = &mut self.tracks[track];
        if let Some(&first) = track.failures.first() {
            track.failures.drain(..).for_each(|failure| {
                self.untaken.remove(&failure);
            });
            return [first].into();
        }
        track.awaited.clear();
        awaited
    }

    /// Checks that a read returned the elements of the data, or one of its failures.
    fn compare(&mut self, read: Result<Vec<i64>>, wanted: Option<&[i64]>, data: &Data) {
        match read {
            Ok(elements) => {
                let failed = self.untaken(&data.failures);
                assert!(failed.is_empty(), "data of failed work was read: {failed:?}");
                if let Some(wanted) = wanted {
                    assert_eq!(elements, wanted);
                    self.ended.compared += 1;
                }
            }
            Err(error) => {
                let stream = self.untaken.get(&failure(&error));
                assert!(stream.is_some_and(|stream| data.streams.contains(stream)), "{error}");
            }
        }
    }

    fn read(&mut self, track: usize) -> Result<()> {
        let (slot, which) = (self.numbers.below(self.slots.len()), self.numbers.below(PARTS));
        let (tensor, data) = &self.slots[slot];
        let (view, stream) = (part(tensor.view(), which)?, &self.tracks[track].stream);
        let (wanted, data) = (data.read(view.layout()), data.clone());
        let read = match self.numbers.below(16) {
            0 => std::thread::scope(|scope| scope.spawn(|| view.to_vec(stream)).join().unwrap()),
            1 => tensor
                .share()
                .into_any()
                .typed::<i64>()?
                .view()
                .to_vec(stream)
                .and_then(|_| view.to_vec(stream)),
            _ => view.to_vec(stream),
        };
        let told = self.waited(track);
        if told.is_empty() {
            self.compare(read, wanted.as_deref(), &data);
        } else {
            expect_failure(read, &told);
        }
        Ok(())
    }

    fn write(&mut self, track: usize) -> Result<()> {
        let (slot, rows) = (self.numbers.below(self.slots.len()), self.numbers.below(5));
        let elements = self.elements();
        let (tensor, _) = &mut self.slots[slot];
        let mut view = tensor.view_mut().narrow(0, 0..rows)?;
        let (layout, from) = (*view.layout(), &elements[..6 * rows]);
        let written = view.copy_from_slice(from, &self.tracks[track].stream);
        let told = self.waited(track);
        if expect_failure(written, &told).is_none() {
            let id = self.tracks[track].id;
            let data = &mut self.slots[slot].1;
            data.comes_from(id, [], rows == 4);
            if rows == 4 {
                data.streams.clear();
            }
            data.write(&layout, Some(from));
        }
        Ok(())
    }

    /// Enqueues a copy to pinned memory, and keeps, drops or forgets the transfer.
    fn send(&mut self, track: usize) -> Result<()> {
        let slot = self.numbers.below(self.slots.len());
        let (tensor, data) = &self.slots[slot];
        let stream = &self.tracks[track].stream;
        let refused = tensor.view().transpose(0, 1)?.copy_to_pinned(PinnedBuffer::new(stream, LEN)?, stream);
        let pinned = refused.unwrap_err().buffer.unwrap();
        let sent = tensor.copy_to_pinned(pinned, stream)?;
        match self.numbers.below(4) {
            0 => drop(sent),
            1 if self.forgets && self.numbers.chance(20) => core::mem::forget(sent),
            _ => self.sent.push((sent, data.clone())),
        }
        Ok(())
    }

    fn receive(&mut self) -> Result<()> {
        if self.sent.is_empty() {
            return Ok(());
        }
        let (sent, data) = self.sent.swap_remove(self.numbers.below(self.sent.len()));
        let read = sent.wait().map(|pinned| pinned.to_vec());
        self.compare(read, data.elements.as_deref(), &data);
        Ok(())
    }

    /// Enqueues a copy from pinned memory.
    fn bring(&mut self, track: usize) -> Result<()> {
        let slot = self.numbers.below(self.slots.len());
        let elements = self.elements();
        let Track { stream, id, .. } = &self.tracks[track];
        let (tensor, data) = &mut self.slots[slot];
        let sent = tensor.copy_from_pinned(PinnedBuffer::from_slice(stream, &elements)?, stream)?;
        data.comes_from(*id, [], true);
        data.elements = Some(elements);
        if self.numbers.chance(2) { sent.wait().map(drop) } else { Ok(()) }
    }

    fn event(&mut self, track: usize) -> Result<()> {
        let place = self.numbers.below(self.events.len());
        let behind = self.untaken(&self.events[place].1);
        let what = self.numbers.below(6);
        let track = &mut self.tracks[track];
        let (event, failures) = &mut self.events[place];
        match what {
            0 | 1 => {
                track.stream.record(event)?;
                *failures = track.awaited.iter().chain(&track.failures).copied().collect();
            }
            2 | 3 => {
                track.stream.wait(event)?;
                track.awaited.extend(&behind);
            }
            4 => {
                expect_failure(event.synchronize(), &behind);
                event.is_complete()?;
            }
            _ => {
                let old = core::mem::replace(event, Event::new(&self.device)?);
                failures.clear();
                match self.numbers.below(3) {
                    0 => old.close()?,
                    1 if self.forgets && self.numbers.chance(20) => core::mem::forget(old),
                    _ => drop(old),
                }
            }
        }
        Ok(())
    }

    fn wait(&mut self, track: usize) -> Result<()> {
        let outcome = self.tracks[track].stream.synchronize();
        let told = self.waited(track);
        expect_failure(outcome, &told);
        self.tracks[track].stream.trim_workspace();
        self.tracks[track].stream.is_idle().map(drop)
    }

    /// Replaces a stream by a new one, and closes, drops or forgets the old one.
    fn replace_stream(&mut self, track: usize) -> Result<()> {
        let new = self.track()?;
        let old = core::mem::replace(&mut self.tracks[track], new);
        let first: BTreeSet<_> = old.failures.first().copied().into_iter().collect();
        match self.numbers.below(8) {
            0 if self.forgets && self.numbers.chance(10) => {
                self.ended.forgotten_streams += 1;
                core::mem::forget(old.stream);
            }
            0..=3 => {
                expect_failure(old.stream.close(), &first);
                old.failures.iter().for_each(|failure| {
                    self.untaken.remove(failure);
                });
            }
            _ => {
                // Its failure is returned by the next call, and by reads of the data.
                drop(old.stream);
                let told = self.device.runtime().device_count().map_err(|error| match error {
                    Error::Dropped(cause) => *cause,
                    other => panic!("{other}"),
                });
                expect_failure(told, &first);
            }
        }
        Ok(())
    }

    fn replace_slot(&mut self) -> Result<()> {
        let slot = self.numbers.below(self.slots.len());
        let new = self.slot()?;
        let (old, _) = core::mem::replace(&mut self.slots[slot], new);
        match self.numbers.below(4) {
            0 => old.buffer().clone().close(),
            1 if self.forgets && self.numbers.chance(20) => {
                core::mem::forget(old);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Makes a call that is refused, which must change nothing.
    fn refused(&mut self, track: usize) -> Result<()> {
        let stream = &self.tracks[track].stream;
        let (tensor, _) = &mut self.slots[0];
        match self.numbers.below(6) {
            0 => {
                let index = Tensor::<i64>::zeros([1], stream)?;
                assert!(matches!(tensor.scatter_add_(0, &index, &index, stream), Err(Error::Scatter(_))));
            }
            1 => {
                let runtime = Runtime::host()?;
                let other = runtime.device(1)?.stream()?;
                assert!(matches!(tensor.to_vec(&other), Err(Error::Device { .. })));
                drop(other);
                runtime.close()?;
            }
            2 => assert!(matches!(self.device.clone().close(), Err(Error::InUse { .. }))),
            3 => {
                let runtime = self.device.runtime().clone();
                assert!(matches!(runtime.close(), Err(Error::InUse { .. })));
            }
            4 => {
                let taken = tensor.copy_from_pinned(PinnedBuffer::new(stream, 5)?, stream).unwrap_err();
                assert_eq!(taken.buffer.unwrap().len(), 5);
            }
            _ => {
                let wrong = tensor.share().into_any().typed::<f32>();
                assert!(matches!(wrong, Err(Error::DType { expected: DType::F32, got: DType::I64, .. })));
            }
        }
        Ok(())
    }

    /// Adds to the tensor that all threads share.
    fn add(&mut self) -> Result<()> {
        let by = self.numbers.below(100) as i64;
        let index = Tensor::<i64>::new([self.numbers.below(4) as i64], &self.device)?;
        self.total.scatter_add_(0, &index, &Tensor::new([by], &self.device)?, &self.adding)?;
        self.ended.added += by;
        if self.numbers.chance(10) {
            // Only reads it: its value is unknown, because other threads add at the same time.
            self.total.to_vec(&self.adding)?;
        }
        Ok(())
    }

    /// Reads everything once more, and drops it.
    fn end(mut self) -> Result<Ended> {
        while !self.sent.is_empty() {
            self.receive()?;
        }
        for track in 0..self.tracks.len() {
            for _ in 0..20 {
                self.read(track)?;
            }
            self.wait(track)?;
        }
        let Self { tracks, slots, events, adding, ended, .. } = self;
        drop((slots, events));
        tracks.into_iter().try_for_each(|track| track.stream.close())?;
        adding.close()?;
        Ok(ended)
    }
}
