use super::*;

fn received(line: &[u8]) -> Vec<Result<Vec<u8>, Dropped>> {
    let mut receiver = Receiver::default();
    line.iter().filter_map(|byte| receiver.take(*byte)).collect()
}

fn frame(content: &[u8]) -> Vec<u8> {
    encode(content).unwrap_or_else(|e| panic!("{e}"))
}

/// Contents of all lengths with many zeros, few, and none.
fn contents(rng: &mut fastrand::Rng) -> Vec<Vec<u8>> {
    let byte = |rng: &mut fastrand::Rng, zeros: u8| if rng.u8(0..100) < zeros { 0 } else { rng.u8(1..) };
    let lengths = (MIN_CONTENT..=MAX_CONTENT).flat_map(|n| [(n, 0), (n, 3), (n, 50), (n, 100)]);
    lengths.map(|(n, zeros)| (0..n).map(|_| byte(rng, zeros)).collect()).collect()
}

#[test]
fn the_check_value_of_the_standard() {
    assert_eq!(crc32fast::hash(b"123456789"), 0xcbf4_3926);
}

/// The page is what a stranger goes by.
#[test]
fn the_pages_examples_are_what_the_code_does() {
    let page = include_str!("../../../../docs/link.md");
    let examples = page.split_once("| content | frame |").expect("the table").1;
    let bytes = |text: &str| -> Vec<u8> {
        text.split_whitespace().map(|byte| u8::from_str_radix(byte, 16).expect("a byte")).collect()
    };
    let mut seen = 0;
    for row in examples.lines().skip(2).take_while(|line| line.starts_with('|')) {
        let cells: Vec<&str> = row.trim_matches('|').split('|').collect();
        let (content, line) = (bytes(cells[0]), bytes(cells[1]));
        assert_eq!(frame(&content), line, "{row}");
        assert_eq!(received(&line), [Ok(content)], "{row}");
        seen += 1;
    }
    assert!(seen >= 3, "{seen} examples");
}

#[test]
fn what_is_sent_comes_back() {
    let mut rng = fastrand::Rng::with_seed(hdl::bus::seed(1));
    let contents = contents(&mut rng);
    let line: Vec<u8> = contents.iter().flat_map(|content| frame(content)).collect();
    assert_eq!(line.len(), contents.iter().map(|content| content.len() + 6).sum::<usize>());
    assert_eq!(line.iter().filter(|byte| **byte == 0).count(), contents.len());
    let expected: Vec<_> = contents.into_iter().map(Ok).collect();
    assert_eq!(received(&line), expected);
}

#[test]
fn contents_that_no_frame_carries_are_refused() {
    for length in [0, 2, 244, 10_000] {
        let message = encode(&vec![1; length]).expect_err("no frame").to_string();
        assert_eq!(message, format!("a frame carries no content of {length} bytes: from 3 to 243"));
    }
}

/// Of each kind of damage: nothing wrong is handed on, and the frame behind it is right.
#[test]
fn a_damaged_frame_is_dropped_and_the_next_is_right() {
    let mut rng = fastrand::Rng::with_seed(hdl::bus::seed(2));
    for (i, content) in contents(&mut rng).into_iter().enumerate() {
        let good = frame(&content);
        let end = good.len() - 1;
        let mut bad = good.clone();
        match i % 4 {
            0 => drop(bad.drain(rng.usize(1..end)..end)), // cut
            1 => drop(bad.remove(rng.usize(0..end))),
            2 => bad[rng.usize(0..end)] ^= 1 << rng.u8(0..8),
            _ => {
                // two bytes that differ change places
                let at = rng.usize(0..end - 1);
                let other = (at + 1..end).find(|other| bad[*other] != bad[at]);
                bad.swap(at, other.unwrap_or(0));
                if bad == good {
                    bad.remove(0);
                }
            }
        }
        let line = [bad, good].concat();
        let mut found = received(&line);
        assert_eq!(found.pop(), Some(Ok(content)), "{line:?}");
        assert!(!found.is_empty() && found.iter().all(|frame| *frame == Err(Dropped::Damaged)), "{line:?}: {found:?}");
    }
}

#[test]
fn too_long_too_short_and_empty() {
    let good = frame(&[1, 2, 3]);
    let expect = |bad: &[u8], cause: &[Result<Vec<u8>, Dropped>]| {
        let line = [bad, &[0], &good].concat();
        assert_eq!(received(&line), [cause, &[Ok(vec![1, 2, 3])]].concat(), "{bad:?}");
    };
    expect(&[], &[]);
    expect(&[0, 0, 0], &[]);
    expect(&[1], &[Err(Dropped::Damaged)]);
    expect(&[1; 248], &[Err(Dropped::Damaged)]);
    expect(&[1; 249], &[Err(Dropped::TooLong)]);
    expect(&[255; 5000], &[Err(Dropped::TooLong)]);
    // a right check over too little content
    let short = [&[7u8, 9][..], &crc32fast::hash(&[7, 9]).to_le_bytes()].concat();
    assert!(!short.contains(&0));
    expect(&[&[7u8][..], &short].concat(), &[Err(Dropped::Damaged)]);
}
