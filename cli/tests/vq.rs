//! `kvforge vq` with good input.

mod common;

use common::{Place, kvforge};
use serde_json::Value;
use snapbox::Data;

#[track_caller]
fn stdout(place: &Place, arguments: &str) -> String {
    let output = kvforge(place, arguments);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments}: {stderr}");
    assert!(stderr.is_empty(), "{arguments}: {stderr}");
    String::from_utf8(output.stdout).unwrap()
}

fn bytes(place: &Place, name: &str) -> Vec<u8> {
    std::fs::read(place.path().join(name)).unwrap()
}

#[test]
fn train_pack_and_info_print_what_they_did() {
    let place = Place::with_codebooks();
    let mut text = String::new();
    for arguments in [
        "vq train --algorithm cq-2 --kv good.safetensors --layers 0 --out a.vq",
        "vq info a.vq",
        "vq pack --books a.vq --kv longer.safetensors --out b.vq",
        "vq info b.vq --kv longer.safetensors",
        "vq train --weights weights.safetensors --algorithm quip#-4 --out c.vq",
        "vq pack --books c.vq --weights weights.safetensors --out d.vq",
        "vq info d.vq",
    ] {
        text += &format!("$ kvforge {arguments}\n{}\n", stdout(&place, arguments));
    }
    snapbox::assert_data_eq!(text, Data::read_from("tests/vq.txt".as_ref(), None).raw());
}

#[test]
fn the_seed_makes_the_file() {
    let place = Place::with_codebooks();
    let train = |seed: u32, out: &str| {
        let scheme = "--vector 4 --bits 2 --residuals 2 --scales row --tile 32x32";
        stdout(&place, &format!("vq train --weights weights.safetensors {scheme} --seed {seed} --out {out}"));
        bytes(&place, out)
    };
    let first = train(1, "a.vq");
    assert!(first == train(1, "b.vq"));
    assert!(first != train(2, "c.vq"));
}

/// What is read is not written over, by whatever name, and a place that cannot be written is told before hours of work.
#[test]
fn what_is_read_stays() {
    let place = Place::with_codebooks();
    let before = bytes(&place, "good.safetensors");
    std::fs::hard_link(place.path().join("good.safetensors"), place.path().join("link.safetensors")).unwrap();
    std::fs::create_dir(place.path().join("recording")).unwrap();
    let array = [&b"\x93NUMPY\x01\x00"[..], &[0; 20]].concat();
    place.write("recording/layer0.k.npy", &array);
    for arguments in [
        "vq train --algorithm cq-2 --kv good.safetensors --out link.safetensors",
        "vq train --algorithm cq-2 --kv good.safetensors --out ./good.safetensors",
        "vq train --algorithm cq-2 --kv recording --out recording/layer0.k.npy",
        "vq pack --books good.vq --kv link.safetensors --out good.safetensors",
    ] {
        let output = kvforge(&place, arguments);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && stderr.contains(" would overwrite "), "{arguments}: {stderr}");
    }
    assert!(bytes(&place, "good.safetensors") == before && bytes(&place, "recording/layer0.k.npy") == array);
    // what could be written and then was not leaves nothing
    let output = kvforge(&place, "vq train --algorithm cq-4 --kv nan.safetensors --out new.vq");
    assert!(output.status.code() == Some(2) && !place.path().join("new.vq").exists());
}

#[test]
fn a_tensor_that_is_named_twice_is_one() {
    let place = Place::with_codebooks();
    let twice = "--tensor weight.a --tensor weight.a";
    stdout(&place, &format!("vq train --weights weights.safetensors --algorithm quip#-4 {twice} --out twice.vq"));
    let info: Value = serde_json::from_str(&stdout(&place, "vq info twice.vq --json")).unwrap();
    assert_eq!(info["tensors"].as_array().unwrap().len(), 1);
}

#[test]
fn info_as_json() {
    let place = Place::with_codebooks();
    let json = |arguments: &str| serde_json::from_str::<Value>(&stdout(&place, arguments)).unwrap();
    let books = json("vq info good.vq --json");
    assert_eq!((books["vector"].as_u64(), books["packed"].as_bool()), (Some(4), Some(false)));
    assert_eq!(books["tensors"][0]["bits_without_books"], 2.0);
    assert!(books["tensors"][0]["bits_with_books"].is_null());

    let packed = json("vq info packed.vq --kv good.safetensors --json");
    let key = &packed["tensors"][0];
    // eight tokens of 16 groups; each of the 16 books has the eight vectors that it was trained on, and knows them by heart
    assert_eq!((key["name"].as_str(), key["uses"]["lookups"].as_u64()), (Some("layer0.k"), Some(128)));
    assert_eq!((key["books"].as_u64(), key["entries"].as_u64()), (Some(16), Some(128)));
    assert!(key["sqnr_db"].is_null());
    let uses = key["uses"]["of_entries"].as_array().unwrap();
    assert!(uses.iter().flat_map(|book| book.as_array().unwrap()).all(|uses| uses == 1));
    // a book of eight entries takes 8 + 64 bytes; 16 of them over 512 values
    assert_eq!(key["bits_with_books"], 2.0 + 16.0 * 72.0 * 8.0 / 512.0);
}

#[test]
fn plans_say_what_and_why() {
    let place = Place::new();
    let mut text = String::new();
    for arguments in [
        "vq plan --algorithm cq-4 --tokens 1024 --head 64 --heads 3 --queries 3 --device ecp5-85k",
        "vq plan --algorithm cq-4 --tokens 8192 --device ecp5-85k --bus-bits 256",
        "vq plan --algorithm cq-2 --tokens 100 --batch 16 --lut4 12000 --dp16kd 30 --dsp 10",
        "vq plan --algorithm gptvq-2 --rows 576 --cols 1536 --device ecp5-85k",
        "vq plan --algorithm gptvq-2 --rows 576 --cols 1536 --lut4 19700 --dp16kd 40 --dsp 40 --bus-bits 128",
        "vq plan --algorithm aqlm-3 --rows 4096 --cols 4096 --batch 4 --device ecp5-85k",
        "vq plan --algorithm quip#-4 --rows 4096 --cols 4096 --device ecp5-45k --dsp 20",
    ] {
        text += &format!("$ kvforge {arguments}\n{}\n", stdout(&place, arguments));
    }
    // one of them divides units that share a task, which areas that change may end: what is free must be between both then
    assert!(text.lines().any(|line| line.starts_with("  split factor  2 ")), "no plan has a split factor of 2");
    snapbox::assert_data_eq!(text, Data::read_from("tests/vq_plan.txt".as_ref(), None).raw());
}

#[test]
fn a_plan_as_json() {
    let place = Place::new();
    let arguments = "vq plan --algorithm cq-4 --tokens 1024 --device ecp5-25k --json";
    let plan: Value = serde_json::from_str(&stdout(&place, arguments)).unwrap();
    // 8,224 words of scores in 8,296 cycles, and the values
    assert_eq!((plan["machine"]["way"].as_str(), plan["cost"]["cycles"].as_u64()), (Some("table"), Some(8296 + 8342)));
    assert_eq!(plan["cost"]["bytes"]["books"], 2 * 33_024);
    assert!(plan["alternatives"].as_array().unwrap().iter().all(|other| other["cost"]["area"]["lut4"].is_u64()));
}
