//! The record format on the recorded data in `data/`, beside the float64 model of the paper's equations.

use std::num::NonZeroUsize;
use std::path::Path;

use sim::data::Recording;
use sim::golden::oaken::DenseBits;
use sim::golden::quality::{measure, measure_paper};
use sim::profile::{Method, Profile, Widths};

fn recording(name: &str) -> Recording {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data");
    Recording::read(data.join(name).with_extension("safetensors")).expect("a recording in data/")
}

#[test]
fn the_codec_is_as_good_as_the_papers_equations_on_every_layer() {
    for (profiled, run, tensors) in [("smollm2_profile", "smollm2_run", 12), ("minilm", "minilm", 4)] {
        let profile = Profile::from_recordings(&[recording(profiled)], Method::default(), Widths::default()).unwrap();
        let run = recording(run);
        assert_eq!(run.tensors.len(), tensors);
        for tensor in &run.tensors {
            let layer = profile.layer(tensor.layer, tensor.kind).unwrap();
            let quality = measure(tensor.vectors(), DenseBits::PAPER, &layer.thresholds);
            let (codec, paper) = (quality.codec_db, quality.reference_db);
            let name = format!("layer {} {}", tensor.layer, tensor.kind);
            assert!(codec >= paper - 0.2, "{name}: {codec:.2} dB, the paper's equations {paper:.2} dB");
            // Outside of these the measurement itself is wrong.
            assert!((22.0..26.0).contains(&codec), "{name}: {codec:.2} dB");
            assert!((12.0..20.0).contains(&quality.uniform_db), "{name}: {:.2} dB", quality.uniform_db);
            let outliers = (quality.counts.outer + quality.counts.inner) as f64 / quality.counts.total() as f64;
            assert!((0.08..0.12).contains(&outliers), "{name}: {outliers} outliers");
        }
    }
}

#[test]
fn the_codec_is_better_than_the_papers_equations_at_the_papers_thresholds() {
    let (profiled, run) = (recording("smollm2_profile"), recording("smollm2_run"));
    let ours = Profile::from_recordings(std::slice::from_ref(&profiled), Method::default(), Widths::default()).unwrap();
    for tensor in &run.tensors {
        let thresholds = ours.layer(tensor.layer, tensor.kind).unwrap().thresholds;
        let profiled = profiled.tensor(tensor.layer, tensor.kind).unwrap();
        let own = Method::of_the_paper(NonZeroUsize::new(32)).thresholds(&[profiled]);
        assert_ne!(own, thresholds);
        let codec = measure(tensor.vectors(), DenseBits::PAPER, &thresholds).codec_db;
        let paper = measure_paper(tensor.vectors(), DenseBits::PAPER, &own);
        let name = format!("layer {} {}", tensor.layer, tensor.kind);
        assert!(codec > paper + 0.1, "{name}: {codec:.2} dB, the paper's equations {paper:.2} dB");
    }
}

#[test]
fn every_width_is_about_as_good_as_the_papers_equations() {
    let profile = Profile::from_recordings(&[recording("smollm2_profile")], Method::default(), Widths::default());
    let profile = profile.unwrap();
    for tensor in &recording("smollm2_run").tensors {
        let thresholds = profile.layer(tensor.layer, tensor.kind).unwrap().thresholds;
        let at = |dense_bits| measure(tensor.vectors(), dense_bits, &thresholds);
        let four = at(DenseBits::PAPER);
        for (dense_bits, decibels) in DenseBits::ALL.into_iter().zip([16.0..20.0, 22.0..26.0, 28.0..32.0, 34.0..38.0]) {
            let quality = at(dense_bits);
            let (codec, paper) = (quality.codec_db, quality.reference_db);
            let name = format!("layer {} {}, {dense_bits} bits", tensor.layer, tensor.kind);
            assert!(codec >= paper - 0.3, "{name}: {codec:.2} dB, the paper's equations {paper:.2} dB");
            assert!(decibels.contains(&codec), "{name}: {codec:.2} dB");
            let more = quality.effective_bits - four.effective_bits;
            assert!((more - (f64::from(dense_bits.get()) - 4.0)).abs() < 1e-9, "{name}: {more} bits more");
        }
    }
}

#[test]
fn thresholds_of_one_text_give_the_other_about_the_same_shares() {
    let profile =
        Profile::from_recordings(&[recording("smollm2_profile")], Method::default(), Widths::default()).unwrap();
    let run = recording("smollm2_run");
    profile.check_covers(&run).unwrap();
    for layer in &profile.layers {
        // On the recording that they were made from, quantiles give the shares that were asked for.
        assert!((layer.shares.outer() - 0.04).abs() < 0.002, "{layer:?}");
        assert!((layer.shares.inner() - 0.06).abs() < 0.002, "{layer:?}");
    }
}
