// The C functions through which the binding drives a Verilated model `Vm`.
// Defined before this text: KV_TRACE, KV_COVERAGE, kv_set_clocks, kv_set_ports.
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>
#include "verilated_sym_props.h"
#include "verilated_syms.h"
#if KV_TRACE
#include "verilated_vcd_c.h"
#endif
#if KV_COVERAGE
#include "verilated_cov.h"
#endif
#define KV_EXPORT extern "C" __attribute__((visibility("default")))

namespace {
// A signal inside that the Verilog makes public; the binding knows this layout.
struct Public {
    const char* scope;
    const char* name;
    void* address;
    uint32_t width;
    uint32_t writable;
    // Words of a memory; 0 for a vector of bits.
    uint32_t depth;
};

struct Instance {
    VerilatedContext context;
    std::unique_ptr<Vm> model;
#if KV_TRACE
    std::unique_ptr<VerilatedVcdC> vcd;
#endif
    std::vector<Public> publics;
    uint64_t edges = 0;
    bool failed = false;
    // Each failure on a line of its own; `reported` are those that the caller looks at.
    std::string failures, reported;
    // What the Verilog printed last in this evaluation: checks say where they stand before they stop.
    std::string printed;
};

// The instance that this thread evaluates: Verilator's error functions are not told.
thread_local Instance* current = nullptr;

void fail(const char* kind, const char* file, int line) {
    if (!current) return;
    current->failed = true;
    const std::string place = std::string(file ? file : "?") + ":" + std::to_string(line);
    current->failures += std::string(kind) + " at " + place + " " + current->printed + "\n";
}

inline void eval(Instance& s) {
    current = &s;
    s.printed.clear();
    s.model->eval();
}

// Those that are plain vectors of bits, and memories of such.
void find_publics(Instance& s) {
    for (const auto& scope : *s.context.scopeNameMap()) {
        const VerilatedVarNameMap* vars = scope.second->varsp();
        if (!vars) continue;
        for (const auto& entry : *vars) {
            const VerilatedVar& var = entry.second;
            if (var.isParam() || var.udims() > 1 || var.vltype() < VLVT_UINT8 || var.vltype() > VLVT_WDATA) continue;
            const uint32_t depth = var.udims() ? var.elements(1) : 0;
            s.publics.push_back({scope.first, var.name(), var.datap(), var.entBits(), var.isPublicRW(), depth});
        }
    }
}

inline void dump(Instance& s, uint64_t time) {
#if KV_TRACE
    s.context.time(time);
    if (s.vcd) s.vcd->dump(time);
#endif
}
}  // namespace

// Verilator's own versions of these would end the process.
void vl_finish(const char*, int, const char*) VL_MT_UNSAFE { if (current) current->context.gotFinish(true); }
void vl_stop(const char* file, int line, const char*) VL_MT_UNSAFE { fail("assertion failed", file, line); }
void vl_fatal(const char* file, int line, const char*, const char* message) VL_MT_UNSAFE {
    if (current) current->printed = message;
    fail("fatal error", file, line);
}

// Verilator's runtime prints with it.
int kv_print(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (current) {
        char text[1024];
        va_list again;
        va_copy(again, arguments);
        vsnprintf(text, sizeof text, format, again);
        va_end(again);
        // one line, as `failures` wants it
        current->printed = std::string(text, std::strcspn(text, "\n"));
    }
    const int written = vprintf(format, arguments);
    va_end(arguments);
    return written;
}

// Registers and memories begin as 0, or with the random contents of a seed that is not 0.
KV_EXPORT Instance* kv_create(uint32_t seed) {
    auto s = std::make_unique<Instance>();
    s->context.randReset(seed ? 2 : 0);
    s->context.randSeed(seed);
#if KV_TRACE
    s->context.traceEverOn(true);
#endif
    current = s.get();
    s->model = std::make_unique<Vm>(&s->context, "");
    find_publics(*s);
    return s.release();
}

KV_EXPORT void kv_destroy(Instance* s) {
    current = s;
#if KV_TRACE
    if (s->vcd) s->vcd->close();
#endif
    s->model->final();
    s->model.reset();
    current = nullptr;
    delete s;
}

KV_EXPORT void kv_ports(Instance* s, void** addresses, uint32_t* sizes) { kv_set_ports(*s->model, addresses, sizes); }

KV_EXPORT uint32_t kv_publics(Instance* s, const Public** first) {
    *first = s->publics.data();
    return s->publics.size();
}

KV_EXPORT int kv_eval(Instance* s) {
    eval(*s);
    return s->failed;
}

// One rising edge: logic settles with the new inputs and the clocks low, unless it has already, then the clocks rise.
// They are low again when the model is next evaluated, so that a cycle costs two evaluations and no more.
KV_EXPORT int kv_edge(Instance* s, uint64_t clocks, int settled) {
    if (!settled) eval(*s);
    dump(*s, 10 * s->edges + 5);
    kv_set_clocks(*s->model, clocks);
    ++s->edges;
    eval(*s);
    dump(*s, 10 * s->edges);
    kv_set_clocks(*s->model, 0);
    return s->failed;
}

// What failed since the last call.
KV_EXPORT const char* kv_failures(Instance* s) {
    s->reported.swap(s->failures);
    s->failures.clear();
    s->failed = false;
    return s->reported.c_str();
}

KV_EXPORT int kv_open_trace(Instance* s, const char* path) {
#if KV_TRACE
    if (s->vcd) s->vcd->close();
    s->vcd = std::make_unique<VerilatedVcdC>();
    s->model->trace(s->vcd.get(), 1000);
    s->vcd->open(path);
    if (!s->vcd->isOpen()) { s->vcd.reset(); return 0; }
    s->vcd->dump(10 * s->edges + 1);
    return 1;
#else
    return 0;
#endif
}

KV_EXPORT void kv_close_trace(Instance* s) {
#if KV_TRACE
    if (s->vcd) s->vcd->close();
    s->vcd.reset();
#endif
}

KV_EXPORT int kv_write_coverage(Instance* s, const char* path) {
#if KV_COVERAGE
    current = s;
    s->context.coveragep()->write(path);
    return !s->failed;
#else
    return 0;
#endif
}
