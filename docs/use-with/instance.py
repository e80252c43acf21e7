"""A FIFO of kvforge in a design of Amaranth, as RTLIL of Yosys.

python instance.py > top.il
"""

from amaranth.back import rtlil
from amaranth.hdl import ClockSignal, Elaboratable, Instance, Module, ResetSignal, Signal


class Top(Elaboratable):
    def __init__(self):
        self.s_valid, self.s_ready, self.s_data = Signal(), Signal(), Signal(8)
        self.m_valid, self.m_ready, self.m_data = Signal(), Signal(), Signal(8)

    def elaborate(self, platform):
        m = Module()
        m.submodules.queue = Instance(
            "fifo_8x16_block",
            i_clk=ClockSignal(),
            i_rst=ResetSignal(),
            i_s_valid=self.s_valid,
            o_s_ready=self.s_ready,
            i_s_payload=self.s_data,
            o_m_valid=self.m_valid,
            i_m_ready=self.m_ready,
            o_m_payload=self.m_data,
        )
        return m


top = Top()
ports = [top.s_valid, top.s_ready, top.s_data, top.m_valid, top.m_ready, top.m_data]
print(rtlil.convert(top, ports=ports))
