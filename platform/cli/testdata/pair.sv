module Hub #(
  parameter inputs = 2
) (
  link In[] // depth 4
);
  counter wait_cycles;
  counter flits[tenants];
endmodule

module Cache #(
  parameter ways = 4,
  parameter rule = "lru",
  parameter sizes = '{1, 2},
  parameter inner_depth = 8,
  parameter inner_fast = 1
) (
  link Out // depth 1
);
endmodule

module pair_1;
  localparam isa = "machine";
  localparam texture_layout = "rows";
  localparam register_unit = 0;
  localparam numerics = "ampere";
  localparam cluster_lag = 0;
  link link_0; // GPU.Hub.In[0] <-> GPU.Cache[0].Out
  link link_1; // GPU.Hub.In[1] <-> GPU.Cache[1].Out
  Hub GPU_Hub (.In('{link_0, link_1}));
  Cache GPU_Cache_0 (.Out(link_0));
  Cache #(.inner_depth(9)) GPU_Cache_1 (.Out(link_1));
endmodule
