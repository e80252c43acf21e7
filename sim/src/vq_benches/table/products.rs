//! A unit that makes products.

use super::*;

/// A unit that makes products.
#[derive(Clone, Debug)]
pub struct ProductsBench {
    /// Its parameters.
    pub unit: TableUnit,
    /// `command`, `query` and `words`.
    pub sources: [StreamPorts; 3],
    /// `done`.
    pub done: StreamPorts,
    /// The ports of `write`: valid, position, row, there, and the products.
    pub write: Vec<usize>,
}

impl ProductsBench {
    /// Runs commands one after the other; all streams stall.
    ///
    /// # Errors
    /// What came out wrong, or did not come.
    pub fn run(
        &self,
        engine: &mut dyn Engine,
        commands: &[TableCommand],
        stalls: [Stalls; 4],
        seed: u64,
    ) -> Result<TableTimes, String> {
        let (mut bench, sources, done) = self.begin(engine, commands, stalls, seed)?;
        let work = |command: &TableCommand| command.words.len() + 40 * self.unit.positions + 100 * self.unit.entries;
        let limit = bench.cycle() + 60 * (1000 + commands.iter().map(work).sum::<usize>() as u64);
        let (mut written, mut ends) = (vec![], vec![]);
        for (i, command) in commands.iter().enumerate() {
            written.clear();
            while bench.beats(done).len() <= i {
                if bench.cycle() > limit {
                    return Err(format!("it hangs in command {i} of {}", commands.len()));
                }
                bench.step().map_err(|e| e.to_string())?;
                if bench.engine.peek(self.write[0]) == 1 {
                    if bench.sent_at(sources[2]).is_empty() {
                        return Err("a row of a table was written before the first word came".into());
                    }
                    written.push(self.write[1..].iter().map(|port| bench.engine.peek(*port)).collect::<Vec<u64>>());
                }
            }
            let products = self.unit.products(command);
            let end = report_of(products.as_ref().map(|_| ()).map_err(|fault| *fault));
            ends.push(end);
            compare_reports(bench.beats(done), ends.iter().copied())?;
            if let Ok(tables) = products {
                self.compare(&written, &tables).map_err(|e| format!("command {i}: {e}"))?;
            }
        }
        // no command is reported twice
        bench.run(80).map_err(|e| e.to_string())?;
        compare_reports(bench.beats(done), ends.into_iter())?;
        let reports = bench.received_at(done).to_vec();
        let [commands, words] = [0, 2].map(|i| bench.sent_at(sources[i]).to_vec());
        Ok(TableTimes { words, commands, scores: vec![], reports })
    }

    /// The same for so many cycles, whatever is under way then and without a check: the reset of the next run comes in the middle of it.
    ///
    /// # Errors
    /// What the bus did wrong.
    pub fn stop(
        &self,
        engine: &mut dyn Engine,
        commands: &[TableCommand],
        stalls: [Stalls; 4],
        seed: u64,
        cycles: u64,
    ) -> Result<(), String> {
        let (mut bench, ..) = self.begin(engine, commands, stalls, seed)?;
        bench.run(cycles).map_err(|e| e.to_string())
    }

    /// All that goes in is sent, after a reset: the bench, its sources and `done`.
    fn begin<'e>(
        &self,
        engine: &'e mut dyn Engine,
        commands: &[TableCommand],
        stalls: [Stalls; 4],
        seed: u64,
    ) -> Result<(Bench<'e>, [Source; 3], Sink), String> {
        let mut bench = Bench::new(engine, seed);
        let sources = [0, 1, 2].map(|i| bench.source_at(self.sources[i].clone(), stalls[i]));
        let done = bench.sink_at(self.done.clone(), stalls[3]);
        command_feed::reset(&mut bench, &self.sources, [&self.done], seed)?;
        for TableCommand { first, query, words, .. } in commands {
            bench.send(sources[0], [[u64::from(*first), 0]]);
            bench.send(sources[1], query_beats(query));
            bench.send(sources[2], word_beats(words));
        }
        Ok((bench, sources, done))
    }

    /// Every place of every table is written once, in order.
    fn compare(&self, written: &[Vec<u64>], tables: &Tables) -> Result<(), String> {
        let of_word = (4 / self.unit.vector).max(1);
        let rows = self.unit.entries / of_word;
        if written.len() != self.unit.positions * rows {
            return Err(format!("{} rows of tables written, not {}", written.len(), self.unit.positions * rows));
        }
        for (n, row) in written.iter().enumerate() {
            let (position, at) = (n / rows, n % rows);
            if row[..2] != [position as u64, at as u64] {
                return Err(format!("position {} row {} written, not {position} {at}", row[0], row[1]));
            }
            for i in 0..of_word {
                let entry = at * of_word + i;
                let there = entry < tables[0][position].len();
                if there != (row[2] >> i & 1 == 1) {
                    return Err(format!("position {position}, entry {entry}: there is {}", !there));
                }
                for (query, table) in tables.iter().enumerate().filter(|_| there) {
                    let (got, expected) = (row[3 + query * of_word + i], u64::from(table[position][entry]));
                    if got != expected {
                        return Err(format!(
                            "query {query}, position {position}, entry {entry}: {got:x}, not {expected:x}"
                        ));
                    }
                }
            }
        }
        Ok(())
    }
}
