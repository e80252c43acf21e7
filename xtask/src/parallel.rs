//! Independent jobs, as many at a time as the machine has cores.

use anyhow::Result;
use std::num::NonZero;
use std::sync::mpsc;
use std::sync::{Mutex, PoisonError};

/// Applies `job` to every item. Results come in the order of the items; of several errors, the first item's is returned.
pub fn map<T: Sync, R: Send>(items: &[T], job: impl Fn(&T) -> Result<R> + Sync) -> Result<Vec<R>> {
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get).min(items.len());
    let queue = Mutex::new(items.iter().enumerate());
    let (send, receive) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let (queue, job, send) = (&queue, &job, send.clone());
            scope.spawn(move || {
                loop {
                    let taken = queue.lock().unwrap_or_else(PoisonError::into_inner).next();
                    let Some((index, item)) = taken else { break };
                    // the receiver lives until all threads have ended
                    let _ = send.send((index, job(item)));
                }
            });
        }
    });
    drop(send);
    let mut results: Vec<(usize, Result<R>)> = receive.into_iter().collect();
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order_and_the_first_error_wins() {
        let items: Vec<u64> = (0..100).collect();
        assert_eq!(map(&items, |n| Ok(n * n)).unwrap(), items.iter().map(|n| n * n).collect::<Vec<_>>());
        let odd = |n: &u64| if n % 2 == 1 { anyhow::bail!("{n} is odd") } else { Ok(()) };
        assert_eq!(map(&items, odd).unwrap_err().to_string(), "1 is odd");
        assert!(map(&[], odd).unwrap().is_empty());
    }
}
