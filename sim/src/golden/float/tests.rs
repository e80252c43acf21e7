use super::Model;
use super::stimuli::stratified;
use rustc_apfloat::ieee::{BFloat, Half, Single};
use rustc_apfloat::{Float, Round};

/// `a` and `b` of a format in `rustc_apfloat`; all NaNs as the model's.
fn reference<F: Float>(m: Model, f: impl Fn(&[F]) -> F, x: &[u32]) -> u32 {
    let numbers: Vec<F> = x.iter().map(|x| F::from_bits(u128::from(*x))).collect();
    let y = f(&numbers);
    if y.is_nan() { m.nan() } else { y.to_bits() as u32 }
}

/// How many random tuples each test takes; `KVFORGE_LONG=1` takes a hundred million.
fn count(short: u64) -> u64 {
    if std::env::var_os("KVFORGE_LONG").is_some() { 100_000_000 } else { short }
}

fn check<F: Float + Copy>(m: Model, seed: u64) {
    let mut r = fastrand::Rng::with_seed(seed);
    for _ in 0..count(300_000) {
        let x = stratified(&mut r, m);
        let [a, b, c] = x;
        assert_eq!(m.add(a, b), reference::<F>(m, |x| (x[0] + x[1]).value, &x), "{a:#x} + {b:#x}");
        assert_eq!(m.sub(a, b), reference::<F>(m, |x| (x[0] - x[1]).value, &x), "{a:#x} - {b:#x}");
        assert_eq!(m.multiply(a, b), reference::<F>(m, |x| (x[0] * x[1]).value, &x), "{a:#x} * {b:#x}");
        let fused = |x: &[F]| x[0].mul_add_r(x[1], x[2], Round::NearestTiesToEven).value;
        assert_eq!(m.multiply_add(a, b, c), reference::<F>(m, fused, &x), "{a:#x} * {b:#x} + {c:#x}");
    }
}

#[test]
fn binary16_is_as_in_another_library() {
    check::<Half>(Model::BINARY16, 1);
}

#[test]
fn bfloat16_is_as_in_another_library() {
    check::<BFloat>(Model::BFLOAT16, 2);
}

#[test]
fn binary32_is_as_in_another_library() {
    check::<Single>(Model { exp: 8, frac: 23, flush: false }, 3);
}

/// With flushing, numbers are as without where no subnormal one takes part, before or after.
#[test]
fn flushing_changes_subnormal_numbers_only() {
    let (kept, flushed) = (Model::BINARY16, Model { flush: true, ..Model::BINARY16 });
    let (least, sign) = (1 << 10, 1 << 15);
    let zeroed = |x: u32| if x & (sign - 1) < least { x & sign } else { x };
    let mut r = fastrand::Rng::with_seed(4);
    for _ in 0..count(300_000) {
        let [a, b, _] = stratified(&mut r, kept);
        assert_eq!(flushed.add(a, b), zeroed(kept.add(zeroed(a), zeroed(b))), "{a:#x} + {b:#x}");
        let product = kept.multiply(zeroed(a), zeroed(b));
        // only a product just below the smallest normal number may round up to it with flushing
        let (got, want) = (flushed.multiply(a, b), zeroed(product));
        assert!(got == want || (got & (sign - 1) == 0 && product & (sign - 1) <= least), "{a:#x} * {b:#x}: {got:#x}");
    }
}

/// Comparisons, minimumNumber and maximumNumber as `rustc_apfloat` has them; it leaves open which zero is less.
fn check_comparisons<F: Float + Copy>(m: Model) {
    for index in 0..count(300_000) {
        let x = super::stimuli::pair(m, index);
        let [a, b] = x.map(|bits| F::from_bits(bits.into()));
        let got = m.compare(x[0], x[1]);
        assert_eq!((got.lt, got.le, got.eq), (a < b, a <= b, a == b), "{x:#x?}");
        assert_eq!(got.unordered, a.is_nan() || b.is_nan(), "{x:#x?}");
        let bits = |y: F| if y.is_nan() { m.nan() } else { y.to_bits() as u32 };
        let zeros = a.is_zero() && b.is_zero();
        let (min, max) = if zeros { (x[0] | x[1], x[0] & x[1]) } else { (bits(a.min(b)), bits(a.max(b))) };
        assert_eq!((got.min, got.max), (min, max), "{x:#x?}");
    }
}

#[test]
fn comparisons_are_as_in_another_library() {
    check_comparisons::<Half>(Model::BINARY16);
    check_comparisons::<BFloat>(Model::BFLOAT16);
    check_comparisons::<Single>(Model { exp: 8, frac: 23, flush: false });
}
