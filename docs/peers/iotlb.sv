// The IOTLB of zero-day-labs/riscv-iommu between registers, to be measured as our units are.
module iotlb_regs #(parameter N = 16) (
    input logic clk, input logic rst_n,
    input logic flush_vma, flush_gvma, flush_av, flush_gv, flush_pscv,
    input logic [riscv::GPPNW-1:0] flush_vpn, input logic [15:0] flush_gscid, input logic [19:0] flush_pscid,
    input logic update, up_1S_2M, up_1S_1G, up_2S_2M, up_2S_1G, up_is_msi,
    input logic [riscv::GPPNW-1:0] up_vpn, input logic [19:0] up_pscid, input logic [15:0] up_gscid,
    input logic [63:0] up_1S, up_2S,
    input logic lookup, input logic [riscv::VLEN-1:0] iova, input logic [19:0] pscid, input logic [15:0] gscid, input logic en1, en2,
    output logic [6:0] flags, output logic [63:0] c1, c2);
  localparam W = 5 + riscv::GPPNW + 36 + 6 + riscv::GPPNW + 36 + 128 + 1 + riscv::VLEN + 36 + 2;
  logic [W-1:0] i;
  always_ff @(posedge clk) i <= {flush_vma, flush_gvma, flush_av, flush_gv, flush_pscv, flush_vpn, flush_gscid, flush_pscid,
    update, up_1S_2M, up_1S_1G, up_2S_2M, up_2S_1G, up_is_msi, up_vpn, up_pscid, up_gscid, up_1S, up_2S, lookup, iova, pscid, gscid, en1, en2};
  logic f0,f1,f2,f3,f4; logic [riscv::GPPNW-1:0] fv; logic [15:0] fg; logic [19:0] fp;
  logic u,u1,u2,u3,u4,u5; logic [riscv::GPPNW-1:0] uv; logic [19:0] up; logic [15:0] ug; logic [63:0] us1, us2;
  logic l; logic [riscv::VLEN-1:0] li; logic [19:0] lp; logic [15:0] lg; logic e1, e2;
  assign {f0,f1,f2,f3,f4,fv,fg,fp,u,u1,u2,u3,u4,u5,uv,up,ug,us1,us2,l,li,lp,lg,e1,e2} = i;
  logic [6:0] fl; logic [63:0] o1, o2;
  rv_iommu_iotlb_sv39x4 #(.IOTLB_ENTRIES(N)) tlb (.clk_i(clk), .rst_ni(rst_n),
    .flush_vma_i(f0), .flush_gvma_i(f1), .flush_av_i(f2), .flush_gv_i(f3), .flush_pscv_i(f4), .flush_vpn_i(fv), .flush_gscid_i(fg), .flush_pscid_i(fp),
    .update_i(u), .up_1S_2M_i(u1), .up_1S_1G_i(u2), .up_2S_2M_i(u3), .up_2S_1G_i(u4), .up_is_msi_i(u5), .up_vpn_i(uv), .up_pscid_i(up), .up_gscid_i(ug), .up_1S_content_i(us1), .up_2S_content_i(us2),
    .lookup_i(l), .lu_iova_i(li), .lu_pscid_i(lp), .lu_gscid_i(lg), .en_1S_i(e1), .en_2S_i(e2),
    .lu_1S_2M_o(fl[0]), .lu_1S_1G_o(fl[1]), .lu_2S_2M_o(fl[2]), .lu_2S_1G_o(fl[3]), .lu_is_msi_o(fl[4]), .lu_hit_o(fl[5]), .lu_miss_o(fl[6]), .lu_1S_content_o(o1), .lu_2S_content_o(o2));
  always_ff @(posedge clk) begin flags <= fl; c1 <= o1; c2 <= o2; end
endmodule
