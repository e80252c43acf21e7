// The loop of load.rs in C++. The marks are replaced by what depends on the engine.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>

//TABLES
template <int width, class Port>
static inline void set(Port& port, const uint64_t* limbs) {
    if constexpr (width <= 64) port = limbs[0];
    else for (int i = 0; i < (width + 31) / 32; ++i) port[i] = uint32_t(limbs[i / 2] >> (32 * (i % 2)));
}

static uint64_t checksum = 0;
static inline void mix(uint64_t value) { checksum = checksum * 31 + value; }

template <int width, class Port>
static inline void mix_all(const Port& port) {
    if constexpr (width <= 64) mix(port);
    else for (int i = 0; i < (width + 31) / 32; i += 2) mix(port[i] | uint64_t(i + 1 < (width + 31) / 32 ? port[i + 1] : 0) << 32);
}

// A rising edge; the model was evaluated with its clock low and the present inputs.
static inline void edge(Vm& m) {
    m.clk = 1;
    m.eval();
    m.clk = 0;
}

static void step(Vm& m) {
    m.eval();
    edge(m);
}

static void write(Vm& m, unsigned address, unsigned value) {
    m.s_axil_awaddr = address;
    m.s_axil_wdata = value;
    m.s_axil_wstrb = 15;
    m.s_axil_awvalid = m.s_axil_wvalid = m.s_axil_bready = 1;
    for (int i = 0; i < 8; ++i) {
        m.eval();
        bool address_taken = m.s_axil_awready, data_taken = m.s_axil_wready;
        edge(m);
        if (address_taken) m.s_axil_awvalid = 0;
        if (data_taken) m.s_axil_wvalid = 0;
    }
    m.s_axil_bready = 0;
}

static double seconds() {
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

int main(int, char** arguments) {
    const uint64_t cycles = strtoull(arguments[1], nullptr, 10);
    VerilatedContext context;
    context.randReset(0);
    Vm m(&context, "");
    m.rst = 1;
    for (int i = 0; i < 4; ++i) step(m);
    m.rst = 0;
//WRITES
    for (int i = 0; i < IDLE; ++i) step(m);
//START
    const double start = seconds();
    for (uint64_t cycle = 0; cycle < cycles; ++cycle) {
//DRIVE
        m.eval();
//ADVANCE
//OBSERVE
        edge(m);
    }
    printf("%.6f %llu\n", seconds() - start, (unsigned long long)checksum);
}

void vl_finish(const char*, int, const char*) VL_MT_UNSAFE {}
void vl_stop(const char*, int, const char*) VL_MT_UNSAFE { abort(); }
void vl_fatal(const char*, int, const char*, const char*) VL_MT_UNSAFE { abort(); }
