//! Lines that carry bytes: a serial port, or whatever else a program has.

use serialport::{ClearBuffer, SerialPort};
use std::io::{Error, ErrorKind, Read, Result, Write};
use std::path::Path;
use std::time::{Duration, Instant};

/// How long an adapter may take to take what is sent.
const SEND: Duration = Duration::from_secs(1);

/// A line to a board.
pub trait Line {
    /// Sends bytes.
    ///
    /// # Errors
    /// If the line is gone.
    fn send(&mut self, bytes: &[u8]) -> Result<()>;
    /// The next byte, waiting for it so long; `None` if none comes.
    ///
    /// # Errors
    /// If the line is gone.
    fn receive(&mut self, patience: Duration) -> Result<Option<u8>>;
    /// The time of the line, from whenever it likes: that of a simulated one is the simulation's.
    fn time(&self) -> Duration;
}

impl<L: Line + ?Sized> Line for Box<L> {
    fn send(&mut self, bytes: &[u8]) -> Result<()> {
        (**self).send(bytes)
    }
    fn receive(&mut self, patience: Duration) -> Result<Option<u8>> {
        (**self).receive(patience)
    }
    fn time(&self) -> Duration {
        (**self).time()
    }
}

/// A serial port.
pub struct Serial {
    port: Box<dyn SerialPort>,
    opened: Instant,
}

impl Serial {
    /// Opens a serial port: 8 data bits, no parity, 1 stop bit. What it has received before is dropped.
    ///
    /// # Errors
    /// If there is no such port, it is in use, or it has no such rate.
    pub fn open(path: &str, baud: u32) -> Result<Serial> {
        let port = serialport::new(path, baud).open().map_err(|error| {
            // serialport reports a port that another program holds as `NoDevice`
            let busy = error.kind() == serialport::ErrorKind::NoDevice && Path::new(path).exists();
            if busy { Error::new(ErrorKind::ResourceBusy, "another program has it open") } else { error.into() }
        })?;
        port.clear(ClearBuffer::All).map_err(Error::from)?;
        Ok(Serial { port, opened: Instant::now() })
    }
}

impl Line for Serial {
    fn send(&mut self, bytes: &[u8]) -> Result<()> {
        // the port's patience is that of the last `receive`; and no flush, which waits without end for an adapter that takes nothing
        self.port.set_timeout(SEND).map_err(Error::from)?;
        self.port.write_all(bytes)
    }
    fn receive(&mut self, patience: Duration) -> Result<Option<u8>> {
        self.port.set_timeout(patience.max(Duration::from_millis(1))).map_err(Error::from)?;
        let mut byte = [0];
        match self.port.read(&mut byte) {
            // an unplugged port reads as the end of a file
            Ok(0) => Err(Error::new(ErrorKind::UnexpectedEof, "it has ended")),
            Ok(_) => Ok(Some(byte[0])),
            Err(error) if matches!(error.kind(), ErrorKind::TimedOut | ErrorKind::WouldBlock) => Ok(None),
            Err(error) => Err(error),
        }
    }
    fn time(&self) -> Duration {
        self.opened.elapsed()
    }
}
