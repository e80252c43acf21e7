use std::num::NonZeroUsize;

use half::f16;

use super::error::ContentError;
use super::*;

fn tensor(layer: u32, kind: Kind, cols: usize, values: impl Iterator<Item = f32>) -> KvTensor {
    let data: Vec<u16> = values.map(|v| f16::from_f32(v).to_bits()).collect();
    KvTensor { layer, kind, rows: data.len() / cols, cols, data }
}

fn recording(name: &str, tensors: Vec<KvTensor>) -> Recording {
    Recording { path: name.into(), model: Some("a model".into()), tensors }
}

/// 1 to `count`, with signs in turn: odd numbers positive.
fn alternating(count: usize) -> impl Iterator<Item = f32> {
    (1..=count).map(|i| if i % 2 == 1 { i as f32 } else { -(i as f32) })
}

fn profile_of(tensors: Vec<KvTensor>, tails: Tails) -> Profile {
    let method = Method { tails, ..Method::default() };
    Profile::from_recordings(&[recording("a.safetensors", tensors)], method, Widths::default()).unwrap()
}

#[test]
fn quantiles_of_magnitudes_give_exactly_the_shares_asked_for() {
    // 4 % of 1600 are the 64 above 1536, 6 % are the 96 up to 96; all are exact in binary16.
    let profile = profile_of(vec![tensor(0, Kind::Key, 64, alternating(1600))], Tails::Magnitude);
    let layer = profile.layer(0, Kind::Key).unwrap();
    assert_eq!(layer.thresholds.values(), [-1536.0, -96.0, 96.0, 1536.0]);
    assert_eq!((layer.shares.outer(), layer.shares.middle(), layer.shares.inner()), (0.04, 0.90, 0.06));
    assert!((layer.effective_bits - (4.0 + 9.0 * 8.0 / 64.0 + 0.8)).abs() < 1e-12);
    let sqnr = layer.sqnr_db.unwrap();
    assert!((15.0..40.0).contains(&sqnr), "{sqnr}");
}

#[test]
fn sided_tails_take_half_of_the_outer_share_on_either_side() {
    // Values 1 to 1600 less 401: 32 lie below -368, 32 above 1167; the 96 smallest magnitudes reach to 48.
    let values = (1..=1600).map(|i| i as f32 - 401.0);
    let profile = profile_of(vec![tensor(3, Kind::Value, 64, values)], Tails::Sided);
    let layer = profile.layer(3, Kind::Value).unwrap();
    assert_eq!(layer.thresholds.values(), [-368.0, -48.0, 48.0, 1167.0]);
}

#[test]
fn sided_tails_always_hold_zero_and_t() {
    // All values are positive, so the low quantile is not a legal S_low.
    let profile = profile_of(vec![tensor(0, Kind::Key, 64, (1..=1600).map(|i| i as f32))], Tails::Sided);
    assert_eq!(profile.layers[0].thresholds.values(), [-96.0, -96.0, 96.0, 1568.0]);
}

#[test]
fn thresholds_are_averaged_over_the_recordings() {
    let run =
        |name, factor| recording(name, vec![tensor(0, Kind::Key, 64, alternating(1600).map(move |v| v * factor))]);
    let runs = [run("a", 1.0), run("b", 0.5)];
    let profile = Profile::from_recordings(&runs, Method::default(), Widths::default()).unwrap();
    assert_eq!(profile.layers[0].thresholds.values(), [-1152.0, -72.0, 72.0, 1152.0]);
    assert_eq!(profile.recordings, ["a", "b"]);
    // 1152 is exceeded by 448 elements of the first run and by none of the second.
    assert_eq!(profile.layers[0].shares.outer(), 448.0 / 3200.0);
}

/// A method of the paper's shares and magnitudes.
fn method(quantiles: Quantiles) -> Method {
    Method { quantiles, ..Method::default() }
}

fn runs_of(tokens: usize) -> Method {
    method(Quantiles::Averaged { run_tokens: NonZeroUsize::new(tokens) })
}

#[test]
fn pooled_quantiles_are_those_of_all_elements_together() {
    // The second recording is the first one, a quarter as large: 1 to 1600, and 0.25 to 400 in quarters.
    let run =
        |name, factor| recording(name, vec![tensor(0, Kind::Key, 64, alternating(1600).map(move |v| v * factor))]);
    let runs = [run("a", 1.0), run("b", 0.25)];
    let thresholds = |method| Profile::from_recordings(&runs, method, Widths::default()).unwrap().layers[0].thresholds;
    // The 128 largest of 3200 are all of the first: above 1472. Of the smallest 192, the second has 154, up to 38.5,
    // and the first 38.
    assert_eq!(thresholds(method(Quantiles::Pooled)).values(), [-1472.0, -38.5, 38.5, 1472.0]);
    // 1536 and 384, 96 and 24.
    assert_eq!(thresholds(method(Quantiles::default())).values(), [-960.0, -60.0, 60.0, 960.0]);
}

#[test]
fn a_recording_is_cut_into_runs_of_tokens() {
    // 25 tokens of 64: ten of 1, ten of 2, five of 4. Whatever its share, a quantile of a run is the run's own value.
    let values = (0..25 * 64).map(|i| [1.0, 2.0, 4.0][i / 640]);
    let recordings = [recording("a", vec![tensor(0, Kind::Key, 64, values)])];
    let s_high = |method| {
        Profile::from_recordings(&recordings, method, Widths::default()).unwrap().layers[0].thresholds.values()[3]
    };
    // Five runs of one value each.
    assert_eq!(s_high(runs_of(5)), (1.0 + 1.0 + 2.0 + 2.0 + 4.0) / 5.0);
    // Two runs; the five tokens that are left belong to the second, where 4 % of 960 leave a 4.
    assert_eq!(s_high(runs_of(10)), (1.0 + 4.0) / 2.0);
    // No run is longer than the recording.
    for method in [runs_of(25), runs_of(1000), method(Quantiles::default()), method(Quantiles::Pooled)] {
        assert_eq!(s_high(method), 4.0);
    }
}

#[test]
fn the_papers_method_is_four_thresholds_of_each_run_averaged() {
    // The values of `sided_tails_take_half`, and half of them in a second run.
    let values = (1..=1600).map(|i| i as f32 - 401.0).chain((1..=1600).map(|i| (i as f32 - 401.0) / 2.0));
    let tensor = tensor(3, Kind::Value, 64, values);
    let thresholds = Method::of_the_paper(NonZeroUsize::new(25)).thresholds(&[&tensor]);
    // 1167 and 583.5 give 875.25, a tie between two binary16 numbers.
    assert_eq!(thresholds.values(), [-276.0, -36.0, 36.0, 875.0]);
}

#[test]
fn keys_and_values_have_their_own_widths() {
    let tensors = vec![tensor(0, Kind::Key, 64, alternating(1600)), tensor(0, Kind::Value, 64, alternating(1600))];
    let widths = Widths { key: DenseBits::new(6).unwrap(), value: DenseBits::new(3).unwrap() };
    let profile = Profile::from_recordings(&[recording("a", tensors)], Method::default(), widths).unwrap();
    let [key, value] = &profile.layers[..] else { panic!("two layers") };
    assert_eq!((key.dense_bits, value.dense_bits), (widths.key, widths.value));
    assert_eq!(key.thresholds, value.thresholds);
    assert!((key.effective_bits - value.effective_bits - 3.0).abs() < 1e-12);
    let gain = key.sqnr_db.unwrap() - value.sqnr_db.unwrap();
    assert!((15.0..21.0).contains(&gain), "{gain} dB for three bits");
    assert_eq!(Profile::from_json(&profile.to_json()).unwrap(), profile);
}

#[test]
fn a_file_without_widths_and_quantiles_is_one_of_four_bits() {
    let profile = small_profile();
    let mut json: serde_json::Value = serde_json::from_str(&profile.to_json()).unwrap();
    assert!(json.as_object_mut().unwrap().remove("quantiles").is_some());
    for layer in json["layers"].as_array_mut().unwrap() {
        assert!(layer.as_object_mut().unwrap().remove("dense_bits").is_some());
    }
    assert_eq!(Profile::from_json(&json.to_string()).unwrap(), profile);
}

#[test]
fn fractions_of_zero_and_constant_data_are_no_trouble() {
    let none = Fractions::new(0.0, 0.5, 0.5).unwrap();
    let run = recording(
        "a",
        vec![tensor(0, Kind::Key, 64, alternating(1600)), tensor(1, Kind::Key, 64, [0.0; 64].into_iter())],
    );
    let profile =
        Profile::from_recordings(&[run], Method { fractions: none, ..Method::default() }, Widths::default()).unwrap();
    assert_eq!(profile.layers[0].thresholds.values(), [-1600.0, -800.0, 800.0, 1600.0]);
    assert_eq!(profile.layers[0].shares.outer(), 0.0);
    assert_eq!(profile.layers[1].thresholds.values(), [0.0; 4]);
    assert_eq!(profile.layers[1].sqnr_db, None);
    assert_eq!(Profile::from_json(&profile.to_json()).unwrap(), profile);

    let most = Fractions::new(0.999, 0.0, 0.001).unwrap();
    let run = recording("a", vec![tensor(0, Kind::Key, 64, alternating(64))]);
    for tails in [Tails::Magnitude, Tails::Sided] {
        let method = Method { fractions: most, tails, ..Method::default() };
        assert!(Profile::from_recordings(std::slice::from_ref(&run), method, Widths::default()).is_ok());
    }
}

#[test]
fn messages_about_fractions() {
    let message = |text: &str| text.parse::<Fractions>().unwrap_err().to_string();
    assert_eq!("0.04, 0.90, 0.06".parse(), Ok(Fractions::PAPER));
    let range = "legal is 0 or more and less than 1";
    assert_eq!(message("1,0,0"), format!("the outer fraction is 1: {range}"));
    assert_eq!(message("0.1,0.95,-0.05"), format!("the inner fraction is -0.05: {range}"));
    assert_eq!(message("0.1,NaN,0"), format!("the middle fraction is NaN: {range}"));
    assert_eq!(message("0.25,0.5,0.5"), "the fractions 0.25, 0.5 and 0.5 add up to 1.25: they must add up to 1");
    let three = "is not three numbers: legal is OUTER,MIDDLE,INNER as in 0.04,0.90,0.06";
    assert_eq!(message("0.04,0.96"), format!("\"0.04,0.96\" {three}"));
    assert_eq!(message("4%,90%,6%"), format!("\"4%,90%,6%\" {three}"));
}

fn small_profile() -> Profile {
    let tensors = vec![tensor(0, Kind::Key, 64, alternating(1600)), tensor(0, Kind::Value, 128, alternating(1280))];
    profile_of(tensors, Tails::Magnitude)
}

#[test]
fn a_profile_survives_its_json() {
    let profile = small_profile();
    let path = tempfile::tempdir().unwrap();
    let path = path.path().join("thresholds.json");
    profile.write(&path).unwrap();
    assert_eq!(Profile::read(&path).unwrap(), profile);
}

#[test]
fn messages_about_threshold_files() {
    let json = small_profile().to_json();
    let message = |from: &str, to: &str| {
        assert!(json.contains(from), "{from}");
        Profile::from_json(&json.replacen(from, to, 1)).unwrap_err().to_string()
    };
    let not_json = Profile::from_json("thresholds").unwrap_err().to_string();
    assert_eq!(not_json, "not a threshold file: expected ident at line 1 column 2");
    let formats = "not a threshold file: \"format\" is";
    assert_eq!(
        Profile::from_json("[]").unwrap_err().to_string(),
        format!("{formats} null, legal is \"kvforge-thresholds\"")
    );
    assert_eq!(message("kvforge-thresholds", "other"), format!("{formats} \"other\", legal is \"kvforge-thresholds\""));
    assert_eq!(message("\"version\": 1", "\"version\": 2"), "version 2 of the threshold file is unknown, legal is 1");
    assert_eq!(
        message("\"tails\"", "\"tail\""),
        "not a threshold file: unknown field `tail`, expected one of `format`, `version`, `model`, `recordings`, \
         `fractions`, `tails`, `quantiles`, `layers` at line 13 column 8"
    );
    assert_eq!(
        message("\"outer\": 0.04", "\"outer\": 0.05"),
        "the fractions 0.05, 0.9 and 0.06 add up to 1.01: they must add up to 1"
    );
    assert_eq!(
        message("\"elements\": 64", "\"elements\": 65"),
        "layer 0 key: \"elements\" is 65: legal is a multiple of 64 from 64 to 8192"
    );
    assert_eq!(
        message("\"s_low\": \"e600\"", "\"s_low\": \"6600\""),
        "layer 0 key: threshold S_low is 1536, above T_low with -96: legal is S_low <= T_low <= 0 <= T_high <= S_high"
    );
    assert_eq!(
        message("\"s_low\": \"e600\"", "\"s_low\": \"+600\""),
        "layer 0 key: \"bits\" of S_low is \"+600\": legal are four hexadecimal digits"
    );
    assert_eq!(
        message("\"t_high\": 96.0", "\"t_high\": 95.0"),
        "layer 0 key: T_high is 95 in \"thresholds\" but \"bits\" 5600 says 96"
    );
    assert_eq!(
        message("\"dense_bits\": 4", "\"dense_bits\": 8"),
        "not a threshold file: dense codes of 8 bits: legal is 3, 4, 5 or 6 at line 36 column 21"
    );
    assert_eq!(
        message("\"run_tokens\": null", "\"run_tokens\": 0"),
        "not a threshold file: invalid value: integer `0`, expected a nonzero usize at line 16 column 21"
    );
    assert_eq!(message("\"kind\": \"value\"", "\"kind\": \"key\""), "layer 0 key stands there twice");
    let empty = Profile { layers: vec![], ..small_profile() }.to_json();
    assert!(matches!(Profile::from_json(&empty), Err(ContentError::NoLayers)));
    let missing = Profile::read("no/such.json").unwrap_err().to_string();
    assert_eq!(missing, "cannot read no/such.json: No such file or directory (os error 2)");
}

#[test]
fn messages_about_profiles_that_do_not_fit() {
    let profile = small_profile();
    let message = |tensors| profile.check_covers(&recording("b", tensors)).unwrap_err().to_string();
    assert_eq!(
        message(vec![tensor(1, Kind::Key, 64, alternating(64))]),
        "the thresholds have no layer 1 key; they have 0 key, 0 value"
    );
    assert_eq!(
        message(vec![tensor(0, Kind::Value, 64, alternating(64))]),
        "layer 0 value: the thresholds are for 128 elements a token, the recording has 64"
    );
    let none = Profile::from_recordings(&[], Method::default(), Widths::default()).unwrap_err().to_string();
    assert_eq!(none, "no recordings: at least one is needed");
}

#[test]
fn figures_survive_the_json_bit_by_bit() {
    // Without its feature float_roundtrip, the parser of serde_json is sometimes off by one in the last place.
    for i in 1..1000 {
        let mut profile = small_profile();
        profile.layers[0].effective_bits = 5.0 + 0.1 / f64::from(i);
        profile.layers[0].sqnr_db = Some(100.0 / f64::from(i) + 0.3);
        assert_eq!(Profile::from_json(&profile.to_json()).unwrap(), profile);
    }
}

#[test]
fn the_plot_has_a_panel_for_each_layer_and_kind_with_four_thresholds() {
    let tensors = vec![
        tensor(4, Kind::Key, 64, alternating(1600)),
        tensor(4, Kind::Value, 64, alternating(640)),
        tensor(9, Kind::Key, 64, alternating(640)),
    ];
    let run = recording("a", tensors);
    let profile = Profile::from_recordings(std::slice::from_ref(&run), Method::default(), Widths::default()).unwrap();
    let svg = plot_svg(&profile, &[run]).unwrap();
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    for caption in ["layer 4 key: 4.0 % outer, 6.0 % inner", "layer 4 value", "layer 9 key"] {
        assert!(svg.contains(caption), "{caption}");
    }
    assert!(!svg.contains("layer 9 value"));
    // Three panels and the legend's line.
    assert_eq!(svg.matches("stroke=\"#C0392B\"").count(), 3 * 2 + 1);
    assert_eq!(svg.matches("stroke=\"#1E8449\"").count(), 3 * 2 + 1);
}
