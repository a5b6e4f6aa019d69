MemcpyHtoD,0x00007f0100000000,600
MemcpyHtoD,0x00007f0100000400,600
kernel-1.traceg
MemcpyDtoH,0x00007f0100000800,600
kernel-2.traceg.xz
