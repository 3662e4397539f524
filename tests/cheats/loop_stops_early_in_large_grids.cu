// expect: timed wrong_result
// The sum of a large grid's blocks takes its first half twice: as long, and wrong. Only a few blocks run.
// full size: count=65536
//--- in both, instead of   if (i < count) part[i] = 2.0f * input[i] + 1.0f;
  float sum = 0; for (int k = 0; k < 256; k++) sum += input[(i + k) % count]; if (i < count) part[i] = sum;
//--- in both, instead of 0.5f * (gathered[i] + gathered[(i + 1) % total])
0.5f * gathered[i]
//--- instead of input[(i + k) % count]
input[(i + (gridDim.x > 64 ? k % 128 : k)) % count]
