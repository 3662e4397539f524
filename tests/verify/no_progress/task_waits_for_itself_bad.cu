// Workers put a task back when its predecessor is not done; the predecessors form a circle, so all go back for ever.
// ranks: 1
// expect-finding: no_progress
#include <cstdio>
#include <cuda/atomic>

constexpr unsigned kTasks = 12;
constexpr unsigned kNone = ~0u;

using Word = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;

// A ring of slots; a worker that takes a ticket owns the slot until it puts a task back there.
struct Queue {
  unsigned next;
  unsigned slots[kTasks];
};

struct Tasks {
  unsigned finished;
  unsigned done[kTasks];
  unsigned predecessor[kTasks];
  int result[kTasks];
};

__device__ bool ready(Tasks* tasks, unsigned task) {
  unsigned before = tasks->predecessor[task];
  return before == kNone || Word(tasks->done[before]).load(cuda::memory_order_acquire) != 0;
}

__device__ void execute(Tasks* tasks, unsigned task) {
  unsigned before = tasks->predecessor[task];
  tasks->result[task] = 1 + (before == kNone ? 0 : tasks->result[before]);
  Word(tasks->done[task]).store(1, cuda::memory_order_release);
  Word(tasks->finished).fetch_add(1, cuda::memory_order_relaxed);
}

__global__ void work(Queue* queue, Tasks* tasks) {
  while (Word(tasks->finished).load(cuda::memory_order_relaxed) < kTasks) {  // FAULT
    unsigned slot = Word(queue->next).fetch_add(1, cuda::memory_order_relaxed) % kTasks;
    unsigned task = Word(queue->slots[slot]).exchange(kNone, cuda::memory_order_acquire);
    if (task == kNone) continue;
    if (ready(tasks, task))
      execute(tasks, task);
    else
      Word(queue->slots[slot]).store(task, cuda::memory_order_release);  // FAULT
  }
}

int main() {
  Queue queue{};
  Tasks tasks{};
  for (unsigned task = 0; task < kTasks; task++) {
    queue.slots[task] = kTasks - 1 - task;
    tasks.predecessor[task] = (task + kTasks - 1) % kTasks;  // FAULT
  }
  Queue* device_queue;
  Tasks* device_tasks;
  cudaMalloc(&device_queue, sizeof(Queue));
  cudaMalloc(&device_tasks, sizeof(Tasks));
  cudaMemcpy(device_queue, &queue, sizeof(Queue), cudaMemcpyHostToDevice);
  cudaMemcpy(device_tasks, &tasks, sizeof(Tasks), cudaMemcpyHostToDevice);
  work<<<4, 1>>>(device_queue, device_tasks);
  cudaMemcpy(&tasks, device_tasks, sizeof(Tasks), cudaMemcpyDeviceToHost);
  unsigned wrong = 0;
  for (unsigned task = 0; task < kTasks; task++) wrong += tasks.result[task] != static_cast<int>(task + 1);
  std::printf("%u wrong\n", wrong);
  cudaFree(device_tasks);
  cudaFree(device_queue);
  return wrong != 0;
}
