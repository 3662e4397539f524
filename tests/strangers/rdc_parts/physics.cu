#include "physics.cuh"

__constant__ double relaxation_rate;

__device__ double relax(double value, double mean) { return value + relaxation_rate * (mean - value); }

void set_rate(double rate) { cudaMemcpyToSymbol(relaxation_rate, &rate, sizeof(rate)); }
