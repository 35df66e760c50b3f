//! The output of a command, whose reader may go before the command ends.

use std::io::{self, ErrorKind, Write};

/// An output that drops what is written once its reader has closed it. So a command does all its
/// work, and its exit code tells how that ended: `conformance | head -3` fails where a case does.
pub(crate) struct Output<'a> {
    out: &'a mut dyn Write,
    is_closed: bool,
}

impl<'a> Output<'a> {
    /// Writes to `out` while it has a reader.
    pub(crate) fn new(out: &'a mut dyn Write) -> Self {
        Self { out, is_closed: false }
    }

    /// What `io` returns, or `dropped` where there is no reader.
    fn unless_closed<T>(
        &mut self,
        dropped: T,
        io: impl FnOnce(&mut dyn Write) -> io::Result<T>,
    ) -> io::Result<T> {
        if self.is_closed {
            return Ok(dropped);
        }
        match io(self.out) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                self.is_closed = true;
                Ok(dropped)
            }
            other => other,
        }
    }
}

impl Write for Output<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.unless_closed(bytes.len(), |out| out.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.unless_closed((), |out| out.flush())
    }
}
