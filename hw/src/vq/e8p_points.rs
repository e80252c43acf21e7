//! The 256 stored points of QuiP#'s code E8P (docs/vq-format.md): vectors of 8 numbers out of 1/2, 3/2 and 5/2.

/// The most that the squares of a vector's numbers add up to, of those that are all stored.
const NORM: u32 = 10;

/// The 29 vectors of square norm 12 that are stored besides: 3/2 where a bit is 1, the highest first, else 1/2.
const MORE: [u8; 29] = [
    0x8f, 0x4f, 0x2f, 0x1f, 0xec, 0xea, 0xe6, 0xe9, 0xe5, 0xe3, 0xdc, 0xda, 0xd6, 0xd9, 0xd5, 0xd3, 0xbc, 0xba, 0xb6,
    0xb9, 0xb5, 0x73, 0x7c, 0x7a, 0x76, 0x79, 0x75, 0x37, 0xce,
];

/// A stored vector: n for the number n + 1/2.
pub type Point = [u32; 8];

/// All stored vectors, by their number.
pub fn points() -> Vec<Point> {
    let mut points = vec![];
    short(&mut points, &mut [0; 8], 0);
    points.extend(MORE.map(|byte| std::array::from_fn(|i| u32::from(byte >> (7 - i) & 1))));
    points
}

/// Adds, in lexicographic order, the short vectors that begin like this one.
fn short(points: &mut Vec<Point>, point: &mut Point, known: usize) {
    // (n + 1/2)^2 = n (n + 1) + 1/4; the numbers that are not known take 1/4 at least
    let norm = point[..known].iter().map(|n| n * (n + 1)).sum::<u32>() + 2;
    match known {
        _ if norm > NORM => (),
        8 => points.push(*point),
        _ => {
            for n in 0..3 {
                point[known] = n;
                short(points, point, known + 1);
            }
        }
    }
}

/// Do the numbers of a vector add up to an odd number?
pub fn is_odd(point: &Point) -> bool {
    // 8 halves are 4
    point.iter().sum::<u32>() % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_227_short_points_and_29_more() {
        let points = points();
        let norm = |point: &Point| point.iter().map(|n| n * (n + 1)).sum::<u32>() + 2;
        assert_eq!(points.len(), 256);
        assert!(points[..227].iter().all(|p| norm(p) <= 10) && points[227..].iter().all(|p| norm(p) == 12));
        assert!(points[..227].is_sorted());
        let all: std::collections::BTreeSet<_> = points.iter().collect();
        assert_eq!(all.len(), 256);
    }
}
