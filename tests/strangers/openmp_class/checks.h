#pragma once
#ifdef __cplusplus
extern "C"
#endif
long sum_of(int n, const int* v);
