//! A discrete-event simulation: tasks that wait for others and for the resource that they run on.

/// What a task runs on, one at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Resource {
    /// The cores of the fast side.
    Fast,
    /// The cores of the large side.
    Large,
    /// The link between the sides.
    Link,
}

/// A kernel or a copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// What it runs on.
    pub resource: Resource,
    /// How long, in picoseconds.
    pub duration: u64,
    /// Indices of the tasks that must have ended before.
    pub after: Vec<usize>,
}

/// Tasks and their dependencies.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    tasks: Vec<Task>,
}

impl Graph {
    /// Adds a task that waits for earlier ones, and returns its index.
    pub fn add(&mut self, resource: Resource, duration: u64, after: &[usize]) -> usize {
        assert!(after.iter().all(|&i| i < self.tasks.len()), "a task waits for later ones");
        self.tasks.push(Task { resource, duration, after: after.to_vec() });
        self.tasks.len() - 1
    }
    /// The tasks.
    pub fn tasks(&self) -> &[Task] {
        &self.tasks
    }
    /// Start and end of each task. A resource serves tasks in the order in which they become ready.
    pub fn run(&self) -> Vec<(u64, u64)> {
        let mut times: Vec<Option<(u64, u64)>> = vec![None; self.tasks.len()];
        let mut free = [0_u64; 3];
        for _ in 0..self.tasks.len() {
            let ready = |i: usize| -> Option<u64> {
                if times[i].is_some() {
                    return None;
                }
                self.tasks[i].after.iter().try_fold(0, |latest: u64, &j| Some(latest.max(times[j]?.1)))
            };
            let next = (0..self.tasks.len()).filter_map(|i| Some((ready(i)?, i))).min();
            let (ready, i) = next.expect("tasks wait for earlier ones only, so one is always ready");
            let task = &self.tasks[i];
            let start = ready.max(free[task.resource as usize]);
            free[task.resource as usize] = start + task.duration;
            times[i] = Some((start, start + task.duration));
        }
        times.into_iter().flatten().collect()
    }
    /// When the last task ends.
    pub fn end(&self) -> u64 {
        self.run().iter().map(|&(_, end)| end).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::{Graph, Resource::*};

    #[test]
    fn tasks_wait_for_others_and_for_their_resource() {
        let mut graph = Graph::default();
        let a = graph.add(Fast, 10, &[]);
        let b = graph.add(Large, 7, &[]);
        let copy_a = graph.add(Link, 5, &[a]);
        let copy_b = graph.add(Link, 4, &[b]);
        let c = graph.add(Fast, 1, &[copy_a, copy_b]);
        let times = graph.run();
        assert_eq!(times[copy_b], (7, 11), "ready first, served first");
        assert_eq!(times[copy_a], (11, 16));
        assert_eq!(times[c], (16, 17));
        assert_eq!(graph.end(), 17);
    }

    #[test]
    #[should_panic(expected = "a task waits for later ones")]
    fn circles_are_refused() {
        Graph::default().add(Fast, 1, &[0]);
    }
}
