// The first device adds where the others average.
// ranks: 3
// expect-finding: collective_mismatch
// says: with ncclAvg
// says: with ncclSum
#include <nccl.h>

#include <cstdio>
#include <vector>

constexpr int kDevices = 3;
constexpr int kCount = 90;

class Replica {
 public:
  Replica(int device, ncclComm_t comm) : device_(device), comm_(comm) {
    cudaSetDevice(device);
    cudaStreamCreate(&stream_);
    cudaMalloc(&weights_, kCount * sizeof(float));
    cudaMalloc(&average_, kCount * sizeof(float));
    std::vector<float> host(kCount, 3.0f * device);
    cudaMemcpy(weights_, host.data(), kCount * sizeof(float), cudaMemcpyHostToDevice);
  }
  void average() {
    ncclRedOp_t op = device_ == 0 ? ncclSum : ncclAvg;
    ncclAllReduce(weights_, average_, kCount, ncclFloat, op, comm_, stream_);  // FAULT
  }
  int wrong() const {
    cudaSetDevice(device_);
    cudaStreamSynchronize(stream_);
    std::vector<float> host(kCount);
    cudaMemcpy(host.data(), average_, kCount * sizeof(float), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (float value : host) wrong += value != 3.0f;
    return wrong;
  }
  void release() {
    cudaSetDevice(device_);
    cudaFree(weights_);
    cudaFree(average_);
    cudaStreamDestroy(stream_);
    ncclCommDestroy(comm_);
  }

 private:
  int device_;
  ncclComm_t comm_;
  cudaStream_t stream_;
  float *weights_, *average_;
};

int main() {
  ncclComm_t comms[kDevices];
  ncclCommInitAll(comms, kDevices, nullptr);
  std::vector<Replica> replicas;
  for (int device = 0; device < kDevices; device++) replicas.emplace_back(device, comms[device]);
  ncclGroupStart();
  for (Replica& replica : replicas) replica.average();
  ncclGroupEnd();
  int wrong = 0;
  for (const Replica& replica : replicas) wrong += replica.wrong();
  for (Replica& replica : replicas) replica.release();
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
