#!/bin/bash
# Runs the GPU tests of the emulated NIC: on_gpu.sh LIBRARY [RANKS [STARTS [KILLS]]]. Needs a GPU, nvcc, mpirun, and
# NCCL_HOME with NCCL 2.30 (include/ and lib/). Ends with 77 and a reason where something is missing, which ctest takes
# as skipped.
set -u
library=$1
ranks=${2:-2}
starts=${3:-10}
kills=${4:-2}
here=$(cd "$(dirname "$0")" && pwd)

skip() { echo "skipped: $1"; exit 77; }
nvidia-smi -L > /dev/null 2>&1 || skip "there is no GPU"
command -v nvcc > /dev/null || skip "there is no nvcc"
command -v mpirun > /dev/null || skip "there is no mpirun"
[ -f "${NCCL_HOME:-}/include/nccl_device.h" ] || skip "NCCL_HOME does not name an NCCL 2.30"

work=$(mktemp -d)
trap 'echo quit | nvidia-cuda-mps-control > /dev/null 2>&1; rm -rf "$work"' EXIT
mpi_compile=$(mpicxx --showme:compile)
mpi_link=$(mpicxx --showme:link | sed 's/-pthread//;s/-Wl,\([^ ]*\)/-Xlinker \1/g')
programs="gin_surface gin_measure collectives heat start_stop cores"
for program in $programs; do
  # shellcheck disable=SC2086
  nvcc -std=c++17 -O3 -arch=native -I "$NCCL_HOME/include" $mpi_compile "$here/$program.cu" -L "$NCCL_HOME/lib" -lnccl \
    $mpi_link -o "$work/$program" &
done
wait
for program in $programs; do [ -x "$work/$program" ] || exit 1; done

export CUDA_MPS_PIPE_DIRECTORY=$work/mps CUDA_MPS_LOG_DIRECTORY=$work/mps
mkdir -p "$work/mps" && nvidia-cuda-mps-control -d || exit 1
export LD_LIBRARY_PATH=$NCCL_HOME/lib:${LD_LIBRARY_PATH:-} NCCL_NET_PLUGIN=$library
export NCCL_NET_GDR_LEVEL=SYS NCCL_CROSS_NIC=1 NCCL_MULTI_RANK_GPU_ENABLE=1 NCCL_MAX_CTAS=8 CUDA_DEVICE_MAX_CONNECTIONS=8
export CUCO_NIC_BANDWIDTH=${CUCO_NIC_BANDWIDTH:-12.5GB/s} CUCO_NIC_LATENCY=${CUCO_NIC_LATENCY:-10us}
root=$([ "$(id -u)" = 0 ] && echo --allow-run-as-root)

status=0
launch() { # seconds, then the program
  local limit=$1
  shift
  # shellcheck disable=SC2086
  timeout -k 2 "$limit" mpirun $root --oversubscribe --bind-to none -n "$ranks" \
    bash -c 'NCCL_HOSTID=node$OMPI_COMM_WORLD_RANK exec "$@"' rank "$@"
}
run() {
  echo "== ${*##*/}"
  rm -f "$work/stats"
  CUCO_NIC_STATS=$work/stats launch 60 "$@" || status=1
  [ -f "$work/stats" ] && sed 's/.*"issue_late/issue_late/;s/"lateness":.*\("floor\)/\1/' "$work/stats"
}

run "$work/gin_surface"
run "$work/heat" 500
NCCL_PROTO=Simple NCCL_PAT_ENABLE=0 run "$work/collectives"
run "$work/gin_measure"

for way in plain windows gin; do
  echo "== cores $way"
  launch 60 "$work/cores" "$way" || status=1
done

echo "== communicators aborted while messages are on their way"
launch 60 "$work/start_stop" 5 abort || status=1

echo "== $starts starts and stops, $kills ranks killed"
echo quit | nvidia-cuda-mps-control > /dev/null 2>&1
"$here/stress.sh" "$library" "$work/start_stop" "$starts" "$kills" || status=1
exit $status
