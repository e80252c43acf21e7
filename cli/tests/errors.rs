//! What the command says about bad input, against the files in `errors/`. `SNAPSHOTS=overwrite` writes them anew.

mod common;

use common::{Place, kvforge};
use snapbox::Data;
use std::path::Path;

/// Name of the golden file, arguments.
const CASES: &[(&str, &str)] = &[
    // which configuration
    ("name_unknown", "generate oaken_quantiser_p16"),
    ("name_unlike_any", "describe photosynthesis"),
    ("name_of_a_block", "generate fifo"),
    ("name_missing", "generate"),
    ("name_missing_describe", "describe --json"),
    ("name_and_config", "generate fifo_lut_32x16 --config good.toml"),
    ("name_and_all", "generate fifo_lut_32x16 --all"),
    // the configuration file
    ("config_missing", "generate --config nowhere.toml"),
    ("config_is_a_folder", "generate --config folder"),
    ("config_not_text", "generate --config latin1.toml"),
    ("config_not_toml", "generate --config broken.toml"),
    ("config_twice_the_key", "generate --config twice.toml"),
    ("config_without_block", "generate --config empty.toml"),
    ("config_block_unknown", "generate --config block.toml"),
    ("config_block_type", "generate --config block_type.toml"),
    ("config_key_unknown", "generate --config key.toml"),
    ("config_key_below_a_table", "generate --config below.toml"),
    ("config_tables_wrong", "generate --config tables.toml"),
    ("config_parameter_unknown", "generate --config parameter.toml"),
    ("config_parameter_missing", "generate --config missing.toml"),
    ("config_parameter_type", "generate --config type.toml"),
    ("config_range", "generate --config range.toml"),
    ("config_lanes_do_not_divide", "generate --config lanes.toml"),
    ("config_not_a_multiple", "generate --config multiple.toml"),
    ("config_choice", "generate --config choice.toml"),
    ("config_together", "generate --config together.toml"),
    ("config_reset", "generate --config reset.toml"),
    ("config_verilog", "generate --config verilog.toml"),
    ("config_name_keyword", "generate --config table.toml"),
    ("config_name_capitals", "generate --config MyFifo.toml"),
    // settings on the command line
    ("set_without_value", "generate fifo_lut_32x16 --set depth"),
    ("set_unknown", "generate fifo_lut_32x16 --set detph=4"),
    ("set_type", "describe oaken_quantizer_p16 --set lanes=sixteen"),
    ("set_lanes", "generate oaken_quantizer_p16 --set lanes=3 --set max_length=100"),
    ("set_dense_bits", "generate oaken_dequantizer_p16 --set dense_bits=7"),
    ("set_twice", "generate oaken_quantizer_p16 --set lanes=4 --set max_length=512 --set lanes=8"),
    ("set_reset", "generate fifo_lut_32x16 --set verilog.reset=asynclow"),
    ("set_verilog_unknown", "generate fifo_lut_32x16 --set verilog.rset=async-low"),
    ("set_lut_ram", "generate fifo_lut_32x16 --set verilog.lut_ram=no"),
    // what is built for a board
    ("build_board_missing", "build"),
    ("build_board_unknown", "build --board orangecrab"),
    ("build_no_flow", "build --board icebreaker"),
    ("build_tie_missing", "build --board ulx3s-85f --set wifi_gpio0=false"),
    ("build_config_missing", "build --board orangecrab-25f --config nowhere.toml"),
    ("build_ports", "build --board orangecrab-25f --config good.toml"),
    ("build_clock_of_another_block", "build --board orangecrab-25f --config good.toml --clock 60"),
    ("build_clock_impossible", "build --board orangecrab-25f --clock 71.3"),
    ("build_clock_twice", "build --board orangecrab-25f --clock 60 --set clock_hertz=72000000"),
    ("build_clock_range", "build --board orangecrab-25f --clock 0.5"),
    ("build_seeds", "build --board orangecrab-25f --seeds 0"),
    ("build_of_another_board", "build --board ulx3s-85f --config orangecrab.toml"),
    ("build_another_rate", "build --board orangecrab-25f --set clocks_per_bit=16 --set leds_low=false"),
    // what is loaded into a board
    ("flash_not_built", "flash --board orangecrab-25f --dry-run"),
    ("flash_file_missing", "flash --board orangecrab-25f nowhere.bit --dry-run"),
    ("flash_no_bitstream", "flash --board orangecrab-25f good.toml --dry-run"),
    ("flash_folder", "flash --board orangecrab-25f folder --dry-run"),
    ("flash_family", "flash --board icebreaker good.toml --dry-run"),
    ("flash_board_unknown", "flash --board orangecrab-85f"),
    // the other end of a board's line
    ("host_port_missing", "host info"),
    ("host_no_port", "host --port nowhere info"),
    ("host_board_unknown", "host --port sim --board foo info"),
    ("host_no_system", "host --port sim --board icebreaker info"),
    ("host_no_file", "host --port sim roundtrip nowhere.safetensors"),
    ("host_vectors", "host --port sim roundtrip good.safetensors --vectors 0"),
    // where the Verilog goes
    ("out_is_a_file", "generate fifo_lut_32x16 --out good.toml"),
    // the command line
    ("command_unknown", "genrate"),
    ("option_unknown", "list --jsn"),
    // shares of the groups
    ("fractions_sum", "profile --kv good.safetensors --fractions 0.5,0.4,0.3"),
    ("fractions_negative", "profile --kv good.safetensors --fractions -0.1,0.9,0.2"),
    ("fractions_two", "profile --kv good.safetensors --fractions 0.1,0.9"),
    ("tails_unknown", "profile --kv good.safetensors --tails both"),
    // of what the quantiles are taken
    ("quantiles_unknown", "profile --kv good.safetensors --quantiles mean"),
    ("run_tokens_zero", "profile --kv good.safetensors --run-tokens 0"),
    ("run_tokens_pooled", "profile --kv good.safetensors --quantiles pooled --run-tokens 128"),
    // widths of dense codes
    ("key_bits_range", "profile --kv good.safetensors --key-bits 7"),
    ("value_bits_text", "demo --kv good.safetensors --value-bits four"),
    ("thresholds_bits", "demo --kv good.safetensors --thresholds bits.json"),
    // recordings
    ("kv_not_given", "profile"),
    ("kv_missing", "profile --kv nowhere.safetensors"),
    ("kv_cut_short", "profile --kv short.safetensors"),
    ("kv_header_cut_short", "demo --kv header.safetensors"),
    ("kv_not_safetensors", "profile --kv good.toml"),
    ("kv_type", "profile --kv integers.safetensors"),
    ("kv_shape", "profile --kv cube.safetensors"),
    ("kv_columns", "demo --kv columns.safetensors"),
    ("kv_nan", "profile --kv nan.safetensors"),
    ("kv_without_layers", "profile --kv nameless.safetensors"),
    ("kv_npy_name", "profile --kv array.npy"),
    ("kv_twice", "profile --kv good.safetensors ./good.safetensors"),
    ("kv_disagree", "profile --kv good.safetensors other.safetensors"),
    ("profile_out", "profile --kv good.safetensors --out folder"),
    ("profile_plot", "profile --kv good.safetensors --plot nowhere/plot.svg"),
    // thresholds
    ("thresholds_missing", "demo --kv good.safetensors --thresholds nowhere.json"),
    ("thresholds_not_json", "demo --kv good.safetensors --thresholds good.toml"),
    ("thresholds_format", "demo --kv good.safetensors --thresholds format.json"),
    ("thresholds_version", "demo --kv good.safetensors --thresholds version.json"),
    ("thresholds_order", "demo --kv good.safetensors --thresholds order.json"),
    ("thresholds_layer", "demo --kv other.safetensors --thresholds good.json"),
    ("thresholds_columns", "demo --kv wide.safetensors --thresholds good.json"),
    ("thresholds_without_kv", "demo --thresholds good.json"),
    // the demo
    ("demo_one_token", "demo --kv token.safetensors"),
    ("demo_without_data", "demo"),
    // models
    ("model_missing", "model"),
    ("model_unknown", "model oaken"),
    ("model_choice_near", "model h2m2 --choose array-2"),
    ("model_choice_unlike_any", "model h2m2 --choose arrays-2 --choose photosynthesis"),
    ("model_choices_contradict", "model h2m2 --choose arrays-2 --choose walks-four --choose arrays-4"),
    ("model_choices_and_choose", "model h2m2 --choices --choose arrays-2"),
    ("model_plots_is_a_file", "model h2m2 --plots good.toml"),
    // boards
    ("board_missing", "board"),
    ("board_unknown", "board show ulx3s"),
    ("board_unlike_any", "board show de10-nano"),
    ("board_constraints_out", "board constraints --out good.toml"),
    // LAD attention
    ("lad_without_file", "lad"),
    ("lad_missing", "lad nowhere.safetensors"),
    ("lad_not_safetensors", "lad good.toml"),
    ("lad_without_queries", "lad good.safetensors"),
    ("lad_without_queries_folder", "lad folder"),
    ("lad_queries_twice", "lad queries_twice.safetensors"),
    ("lad_queries_nan", "lad queries_nan.safetensors"),
    ("lad_without_keys", "lad queries_keyless.safetensors"),
    ("lad_tokens_differ", "lad queries_tokens.safetensors"),
    ("lad_tokens_few", "lad queries.safetensors --tokens 31"),
    ("lad_layer", "lad queries.safetensors --layers 0,7"),
    ("lad_head_size", "lad queries.safetensors --head 8"),
    ("lad_heads", "lad queries.safetensors --head 48"),
    ("lad_heads_odd", "lad queries_odd.safetensors"),
    ("lad_heads_many", "lad queries_many.safetensors"),
    ("lad_heads_of_values", "lad queries_values.safetensors"),
    ("lad_thresholds", "lad queries.safetensors --thresholds 0.9,1.5"),
    ("lad_intervals", "lad queries.safetensors --intervals 3"),
    ("lad_periods", "lad queries.safetensors --periods 1,3"),
    ("lad_refused", "lad queries_large.safetensors"),
    ("lad_out", "lad queries.safetensors --thresholds 1 --intervals 8 --periods 1 --out folder"),
    // codebooks: what is trained
    ("vq_missing", "vq"),
    ("vq_train_without_input", "vq train --algorithm cq-4"),
    ("vq_train_two_inputs", "vq train --algorithm cq-4 --kv good.safetensors --weights weights.safetensors"),
    ("vq_train_without_algorithm", "vq train --kv good.safetensors"),
    ("vq_train_algorithm_unknown", "vq train --kv good.safetensors --algorithm cq-3"),
    ("vq_train_algorithm_for_weights", "vq train --kv good.safetensors --algorithm aqlm-3"),
    ("vq_train_algorithm_for_kv", "vq train --weights weights.safetensors --algorithm cq-2"),
    ("vq_train_algorithm_and_bits", "vq train --kv good.safetensors --algorithm cq-4 --vector 2 --bits 8"),
    ("vq_train_vector", "vq train --kv good.safetensors --vector 17 --bits 8"),
    ("vq_train_bits", "vq train --kv good.safetensors --vector 4 --bits 13"),
    ("vq_train_residuals", "vq train --kv good.safetensors --vector 4 --bits 8 --residuals 5"),
    ("vq_train_columns", "vq train --kv good.safetensors --vector 3 --bits 8"),
    ("vq_train_head", "vq train --kv good.safetensors --algorithm cq-4 --head 48"),
    ("vq_train_layer", "vq train --kv good.safetensors --algorithm cq-4 --layers 0,7"),
    ("vq_train_tile", "vq train --weights weights.safetensors --algorithm gptvq-2 --tile 256"),
    ("vq_train_tile_columns", "vq train --weights weights.safetensors --algorithm gptvq-2 --tile 256x6"),
    ("vq_train_ratio", "vq train --weights weights.safetensors --algorithm quip#-4 --ratio 0"),
    ("vq_train_ratio_without_lattice", "vq train --weights weights.safetensors --algorithm gptvq-2 --ratio 3"),
    ("vq_train_rotation", "vq train --weights weights.safetensors --tensor b --algorithm quip#-4"),
    ("vq_train_tensor_missing", "vq train --weights weights.safetensors --tensor c --algorithm gptvq-2"),
    ("vq_train_matrix_shape", "vq train --weights cube.safetensors --tensor layer0.k --algorithm gptvq-2"),
    ("vq_train_no_weights", "vq train --weights good.safetensors --algorithm gptvq-2"),
    ("vq_train_weights_missing", "vq train --weights nowhere.safetensors --algorithm gptvq-2"),
    ("vq_train_nan", "vq train --kv nan.safetensors --algorithm cq-4"),
    ("vq_train_out", "vq train --kv good.safetensors --algorithm cq-4 --out folder"),
    ("vq_train_out_nowhere", "vq train --kv good.safetensors --algorithm cq-4 --out nowhere/books.vq"),
    ("vq_train_out_is_input", "vq train --kv good.safetensors --algorithm cq-4 --out folder/../good.safetensors"),
    ("vq_train_vector_alone", "vq train --kv good.safetensors --vector 4"),
    ("vq_train_head_of_weights", "vq train --weights weights.safetensors --algorithm gptvq-2 --head 64"),
    ("vq_train_rounds_of_one", "vq train --weights weights.safetensors --algorithm gptvq-2 --rounds 3"),
    ("vq_train_rounds", "vq train --weights weights.safetensors --algorithm aqlm-3 --rounds 99999999"),
    // what is packed
    ("vq_pack_books_missing", "vq pack --books nowhere.vq --kv good.safetensors"),
    ("vq_pack_books_packed", "vq pack --books packed.vq --kv good.safetensors"),
    ("vq_pack_other_layer", "vq pack --books good.vq --kv other.safetensors"),
    ("vq_pack_wide", "vq pack --books good.vq --kv wide.safetensors"),
    ("vq_pack_weights", "vq pack --books good.vq --weights weights.safetensors"),
    ("vq_pack_out_is_books", "vq pack --books good.vq --kv good.safetensors --out good.vq"),
    ("vq_pack_out_is_input", "vq pack --books good.vq --kv good.safetensors --out good.safetensors"),
    ("vq_pack_beam", "vq pack --books good.vq --kv good.safetensors --beam 0"),
    // files
    ("vq_info_not_vq", "vq info good.toml"),
    ("vq_info_damaged", "vq info damaged.vq"),
    ("vq_info_cut_short", "vq info short.vq"),
    ("vq_info_books_only", "vq info good.vq --kv good.safetensors"),
    ("vq_info_rows", "vq info packed.vq --kv longer.safetensors"),
    // plans
    ("vq_plan_algorithm_missing", "vq plan --tokens 128 --device ecp5-25k"),
    ("vq_plan_algorithm_unknown", "vq plan --algorithm cq-3 --tokens 128 --device ecp5-25k"),
    ("vq_plan_tokens_missing", "vq plan --algorithm cq-4 --device ecp5-25k"),
    ("vq_plan_rows_of_attention", "vq plan --algorithm cq-4 --tokens 128 --rows 64 --cols 64 --device ecp5-25k"),
    ("vq_plan_rows_missing", "vq plan --algorithm gptvq-2 --device ecp5-25k"),
    ("vq_plan_tokens_of_weights", "vq plan --algorithm gptvq-2 --tokens 4 --rows 64 --cols 64 --device ecp5-25k"),
    ("vq_plan_cols_missing", "vq plan --algorithm gptvq-2 --rows 64 --device ecp5-25k"),
    ("vq_plan_tokens", "vq plan --algorithm cq-4 --tokens 0 --device ecp5-25k"),
    ("vq_plan_head", "vq plan --algorithm cq-2 --tokens 128 --head 80 --device ecp5-25k"),
    ("vq_plan_cols", "vq plan --algorithm aqlm-3 --rows 64 --cols 72 --device ecp5-25k"),
    ("vq_plan_cols_words", "vq plan --algorithm gptvq-2 --rows 64 --cols 100 --device ecp5-25k"),
    ("vq_plan_cols_many", "vq plan --algorithm quip#-4 --rows 64 --cols 16400 --device ecp5-25k"),
    ("vq_plan_rows_many", "vq plan --algorithm quip#-4 --rows 65536 --cols 64 --device ecp5-25k"),
    ("vq_plan_heads_of_weights", "vq plan --algorithm gptvq-2 --rows 64 --cols 64 --heads 3 --device ecp5-25k"),
    ("vq_plan_device_missing", "vq plan --algorithm cq-4 --tokens 128"),
    ("vq_plan_device_unknown", "vq plan --algorithm cq-4 --tokens 128 --device ecp5-84k"),
    ("vq_plan_bus", "vq plan --algorithm cq-4 --tokens 128 --device ecp5-25k --bus-bits 100"),
    ("vq_plan_full", "vq plan --algorithm cq-4 --tokens 128 --device ecp5-25k --lut4 5000"),
    ("vq_plan_full_of_books", "vq plan --algorithm aqlm-3 --rows 576 --cols 576 --device ecp5-25k"),
    // what is simulated: the file
    ("vq_run_without_file", "vq run"),
    ("vq_run_missing", "vq run nowhere.vq"),
    ("vq_run_not_vq", "vq run good.toml"),
    ("vq_run_cut_short", "vq run short_packed.vq"),
    ("vq_run_books_only", "vq run good.vq"),
    // the unit
    ("vq_run_unit_unknown", "vq run packed.vq --unit heads"),
    ("vq_run_unit_of_weights", "vq run packed.vq --unit matrix"),
    ("vq_run_unit_of_keys", "vq run weights.vq --unit head"),
    ("vq_run_vector", "vq run eight.vq"),
    ("vq_run_bits", "vq run six.vq"),
    ("vq_run_rows_many", "vq run tall.vq"),
    ("vq_run_cols_many", "vq run broad.vq"),
    ("vq_run_tensor_of_attention", "vq run packed.vq --tensor weight.a"),
    ("vq_run_tokens_of_weights", "vq run weights.vq --tokens 4"),
    // what of it
    ("vq_run_layer", "vq run packed.vq --layer 7"),
    ("vq_run_head", "vq run packed.vq --head 1"),
    ("vq_run_tensor", "vq run weights.vq --tensor weight.b"),
    ("vq_run_tokens_zero", "vq run packed.vq --tokens 0"),
    ("vq_run_tokens", "vq run packed.vq --tokens 9"),
    ("vq_run_tokens_many", "vq run long.vq --tokens 8193"),
    ("vq_run_count_zero", "vq run packed.vq --count 0"),
    ("vq_run_count_many", "vq run weights.vq --count 1025"),
    ("vq_run_count_of_encoder", "vq run packed.vq --unit encoder --count 9"),
    // what was recorded
    ("vq_run_queries_missing", "vq run packed.vq --queries nowhere.safetensors"),
    ("vq_run_without_queries", "vq run packed.vq --queries good.safetensors"),
    ("vq_run_queries_layer", "vq run packed.vq --queries queries_layer.safetensors"),
    ("vq_run_queries_head_size", "vq run packed.vq --queries queries_narrow.safetensors"),
    ("vq_run_queries_odd", "vq run packed.vq --queries queries_odd.safetensors"),
    ("vq_run_queries_bad_keys", "vq run packed.vq --queries queries_bad_keys.safetensors"),
    ("vq_run_kv_queries_nan", "vq run packed.vq --kv nan_queries.safetensors"),
    ("vq_run_queries_few", "vq run packed.vq --queries queries.safetensors --count 17"),
    ("vq_run_queries_of_encoder", "vq run packed.vq --unit encoder --queries queries.safetensors"),
    ("vq_run_vectors_missing", "vq run weights.vq --queries queries.safetensors"),
    ("vq_run_vectors_wide", "vq run weights.vq --queries vectors_wide.safetensors"),
    ("vq_run_vectors_few", "vq run weights.vq --queries vectors.safetensors --count 4"),
    ("vq_run_kv_layer", "vq run packed.vq --kv other.safetensors"),
    ("vq_run_kv_wide", "vq run packed.vq --kv wide.safetensors"),
    ("vq_run_kv_longer", "vq run packed.vq --kv longer.safetensors"),
    ("vq_run_kv_of_weights", "vq run weights.vq --kv good.safetensors"),
    ("vq_run_weights_of_kv", "vq run packed.vq --weights weights.safetensors"),
    ("vq_run_kv_and_weights", "vq run packed.vq --kv good.safetensors --weights weights.safetensors"),
];

#[test]
fn every_message_is_as_it_was() {
    let place = Place::with_codebooks();
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/errors");
    for (name, arguments) in CASES {
        let output = kvforge(&place, arguments);
        let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(2), "{name}: {stderr}");
        assert!(stdout.is_empty(), "{name}: {stdout}");
        let text = format!("$ kvforge {arguments}\n{}\n", stderr.trim_end());
        snapbox::assert_data_eq!(text, Data::read_from(&golden.join(format!("{name}.txt")), None).raw());
    }
}

#[test]
fn every_golden_file_belongs_to_a_case() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/errors");
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned();
        assert!(CASES.iter().any(|(case, _)| *case == name), "{name}.txt belongs to no case");
    }
}
