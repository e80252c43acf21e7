"""Writes registers of an Oaken quantizer over AXI4-Lite and reads them back, with cocotbext-axi on Icarus.

python test_registers.py FOLDER    # of `kvforge generate oaken_quantizer_p1 --out FOLDER`
"""

import json
import sys
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from cocotbext.axi import AxiLiteBus, AxiLiteMaster

NAME = "oaken_quantizer_p1"


@cocotb.test()
async def registers_hold_what_is_written(dut):
    map = json.loads(Path(cocotb.plusargs["registers"]).read_text())
    offsets = {register["name"]: register["offset"] for register in map["registers"]}
    dut.s_axis_tvalid.value = 0
    dut.m_axis_dense_tready.value = 0
    dut.m_axis_sparse_tready.value = 0
    cocotb.start_soon(Clock(dut.clk, 10, "ns").start())
    dut.rst.value = 1
    master = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil"), dut.clk, dut.rst)
    for _ in range(3):
        await RisingEdge(dut.clk)
    dut.rst.value = 0
    await RisingEdge(dut.clk)
    for register, value in [("length", 128), ("s_low", 0xC000), ("s_high", 0x4000)]:
        await master.write_dword(offsets[register], value)
        assert await master.read_dword(offsets[register]) == value, register


def main():
    from cocotb_tools.runner import get_runner

    folder = Path(sys.argv[1]).resolve() / NAME
    lines = (folder / f"{NAME}.f").read_text().splitlines()
    sources = [folder / line for line in lines if not line.startswith("//")]
    runner = get_runner("icarus")
    build = folder / "sim_build"
    runner.build(sources=sources, hdl_toplevel=NAME, build_dir=build, timescale=("1ns", "1ps"))
    registers = folder / f"{NAME}_registers.json"
    results = runner.test(
        test_module="test_registers", hdl_toplevel=NAME, build_dir=build, plusargs=[f"+registers={registers}"]
    )
    from cocotb_tools.check_results import get_results

    tests, failed = get_results(results)
    print(f"{tests} test, {failed} failed")
    sys.exit(bool(failed) or tests == 0)


if __name__ == "__main__":
    main()
