//! Lines that carry bytes: a serial port, or whatever else a program has.

use serialport::{ClearBuffer, SerialPort};
use std::io::{Error, ErrorKind, Read, Result, Write};
use std::path::Path;
use std::time::{Duration, Instant};

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
            // the crate says of a port that another program has that there is none
            let busy = error.kind() == serialport::ErrorKind::NoDevice && Path::new(path).exists();
            if busy { Error::new(ErrorKind::ResourceBusy, "another program has it open") } else { error.into() }
        })?;
        port.clear(ClearBuffer::All).map_err(Error::from)?;
        Ok(Serial { port, opened: Instant::now() })
    }
}

impl Line for Serial {
    fn send(&mut self, bytes: &[u8]) -> Result<()> {
        self.port.write_all(bytes)?;
        self.port.flush()
    }
    fn receive(&mut self, patience: Duration) -> Result<Option<u8>> {
        self.port.set_timeout(patience.max(Duration::from_millis(1))).map_err(Error::from)?;
        let mut byte = [0];
        match self.port.read(&mut byte) {
            // a port that was unplugged reads as its end
            Ok(0) => Err(ErrorKind::UnexpectedEof.into()),
            Ok(_) => Ok(Some(byte[0])),
            Err(error) if matches!(error.kind(), ErrorKind::TimedOut | ErrorKind::WouldBlock) => Ok(None),
            Err(error) => Err(error),
        }
    }
    fn time(&self) -> Duration {
        self.opened.elapsed()
    }
}
