//! Clocks that have nothing to do with each other.

use fastrand::Rng;

/// The edges of several clocks in the order of time: an iterator without end over the clocks (a bit for each) that have an
/// edge at the next instant, for [`Engine::edge`](crate::engine::Engine::edge) and [`Bench::edge`](super::Bench::edge).
///
/// ```
/// use hdl::bus::Ticks;
///
/// let edges: Vec<u64> = Ticks::new(&[2, 3], 0, 1).skip(1).take(4).collect();
/// assert_eq!(edges.iter().filter(|edge| **edge == 0b11).count(), 1, "every 6 units of time both at one instant");
/// ```
#[derive(Clone, Debug)]
pub struct Ticks {
    periods: Vec<u64>,
    next: Vec<u64>,
    jitter: u64,
    rng: Rng,
}

impl Ticks {
    /// Clocks with these periods, in any unit of time, all with an edge at the first instant. Each period is longer by up
    /// to `jitter` units, at random: the mean is the period and half of that.
    ///
    /// # Panics
    /// Without a clock, with more than 64, or with a period of 0.
    pub fn new(periods: &[u64], jitter: u64, seed: u64) -> Ticks {
        assert!((1..=64).contains(&periods.len()), "1 to 64 clocks, not {}", periods.len());
        assert!(periods.iter().all(|period| *period > 0), "a period of 0");
        let (periods, next) = (periods.to_vec(), vec![0; periods.len()]);
        Ticks { periods, next, jitter, rng: Rng::with_seed(seed) }
    }
}

impl Iterator for Ticks {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        let now = *self.next.iter().min()?;
        let mut edges = 0;
        for (clock, next) in self.next.iter_mut().enumerate().filter(|(_, next)| **next == now) {
            edges |= 1 << clock;
            *next += self.periods[clock] + self.rng.u64(0..=self.jitter);
        }
        Some(edges)
    }
}

#[cfg(test)]
mod tests {
    use super::Ticks;

    /// Edges of each of two clocks among the first so many instants.
    fn edges(ticks: Ticks, instants: usize) -> [usize; 2] {
        let all: Vec<u64> = ticks.take(instants).collect();
        assert!(all.iter().all(|edges| *edges != 0));
        [1, 2].map(|clock| all.iter().filter(|edges| *edges & clock != 0).count())
    }

    #[test]
    fn clocks_tick_as_often_as_their_periods_say() {
        let [a, b] = edges(Ticks::new(&[7, 21], 0, 1), 300);
        assert_eq!((a, b), (300, 100));
        let [a, b] = edges(Ticks::new(&[100, 250], 10, 1), 7000);
        assert!(a.abs_diff(5000) < 50 && b.abs_diff(2000) < 50, "{a} {b}");
    }
}
