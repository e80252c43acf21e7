//! The record format on the recorded data in `data/`, beside the float64 model of the paper's equations.

use std::path::Path;

use sim::data::Recording;
use sim::golden::oaken::DenseBits;
use sim::golden::quality::measure;
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
