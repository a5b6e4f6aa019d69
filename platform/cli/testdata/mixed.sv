  localparam isa = "machine";
  localparam texture_layout = "rows";
  localparam register_unit = 0;
  localparam numerics = "ampere";
  localparam cluster_lag = 0;
  link link_0; // Host.Driver <-> GPU.Driver.Host
  link link_1; // GPU.Driver.SM[0] <-> GPU.SM[0].Driver
  link link_2; // GPU.Driver.SM[1] <-> GPU.SM[1].Driver
  link link_3; // GPU.Driver.SM[2] <-> GPU.SM[2].Driver
  link link_4; // GPU.Driver.PreEng[0] <-> GPU.PreEng[0].Driver
  link link_5; // GPU.Driver.PreEng[1] <-> GPU.PreEng[1].Driver
  link link_6; // GPU.Driver.PreEng[2] <-> GPU.PreEng[2].Driver
  link link_7; // GPU.SM[0].PreEng <-> GPU.PreEng[0].SM
  link link_8; // GPU.SM[0].Request <-> GPU.RequestNoC.In[0]
  link link_9; // GPU.SM[0].Reply <-> GPU.ReplyNoC.Out[0]
  link link_10; // GPU.SM[1].PreEng <-> GPU.PreEng[1].SM
  link link_11; // GPU.SM[1].Request <-> GPU.RequestNoC.In[1]
  link link_12; // GPU.SM[1].Reply <-> GPU.ReplyNoC.Out[1]
  link link_13; // GPU.SM[2].PreEng <-> GPU.PreEng[2].SM
  link link_14; // GPU.SM[2].Request <-> GPU.RequestNoC.In[2]
  link link_15; // GPU.SM[2].Reply <-> GPU.ReplyNoC.Out[2]
  link link_16; // GPU.RequestNoC.Out[0] <-> GPU.L2[0].Request
  link link_17; // GPU.ReplyNoC.In[0] <-> GPU.L2[0].Reply
  link link_18; // GPU.L2[0].DRAM <-> GPU.DRAM[0].Slice[0]
  Host Host (.Driver(link_0));
  Driver GPU_Driver (.Host(link_0), .SM('{link_1, link_2, link_3}), .PreEng('{link_4, link_5, link_6}));
  SM_base GPU_SM_0 (.Driver(link_1), .PreEng(link_7), .Request(link_8), .Reply(link_9));
  PreEng GPU_PreEng_0 (.Driver(link_4), .SM(link_7));
  SM_small GPU_SM_1 (.Driver(link_2), .PreEng(link_10), .Request(link_11), .Reply(link_12));
  PreEng GPU_PreEng_1 (.Driver(link_5), .SM(link_10));
  SM_small GPU_SM_2 (.Driver(link_3), .PreEng(link_13), .Request(link_14), .Reply(link_15));
  PreEng GPU_PreEng_2 (.Driver(link_6), .SM(link_13));
  Crossbar GPU_RequestNoC (.In('{link_8, link_11, link_14}), .Out('{link_16}));
  Crossbar #(.inputs(1), .outputs(3)) GPU_ReplyNoC (.In('{link_17}), .Out('{link_9, link_12, link_15}));
  Slice GPU_L2_0 (.Request(link_16), .Reply(link_17), .DRAM(link_18));
  Controller GPU_DRAM_0 (.Slice('{link_18}));
endmodule
