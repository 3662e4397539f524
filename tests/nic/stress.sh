#!/bin/bash
# Starts, stops and kills ranks over the emulated NIC: stress.sh LIBRARY PROGRAM STARTS KILLS [GROUPS]. PROGRAM is
# start_stop.cu, built. Groups run side by side. Ends with 0 when every start worked, every job with a killed rank ended
# by itself, the one after it worked, and neither processes nor shared memory are left; says what it did when it is ended.
set -u
library=$1 program=$2 starts=$3 kills=$4 groups=${5:-1}
work=$(mktemp -d)
export LD_LIBRARY_PATH=${NCCL_HOME:?}/lib:${LD_LIBRARY_PATH:-} NCCL_NET_PLUGIN=$library NCCL_RMA_DISABLE=1
export NCCL_NET_GDR_LEVEL=SYS NCCL_CROSS_NIC=1 NCCL_MULTI_RANK_GPU_ENABLE=1 NCCL_MAX_CTAS=8 CUDA_DEVICE_MAX_CONNECTIONS=8
root=$([ "$(id -u)" = 0 ] && echo --allow-run-as-root)
limit=20 # Seconds for a job; one that hangs is killed and counts as failed.

launch() { # limit in seconds, then the program
  local seconds=$1
  shift
  # shellcheck disable=SC2016,SC2086
  timeout --foreground -k 2 "$seconds" mpirun $root --oversubscribe --bind-to none --mca plm_rsh_agent true -n 2 \
    bash -c 'NCCL_HOSTID=node$OMPI_COMM_WORLD_RANK exec "$@"' rank "$@"
}

open_mps() { # its name
  export CUDA_MPS_PIPE_DIRECTORY=$work/mps$1 CUDA_MPS_LOG_DIRECTORY=$work/mps$1
  mkdir -p "$work/mps$1" && nvidia-cuda-mps-control -d
}
close_mps() { echo quit | timeout 10 nvidia-cuda-mps-control > /dev/null 2>&1; }

note() { echo "$2" >> "$work/$1"; }
noted() { touch "$work/$1" && wc -l < "$work/$1"; }

# Five communicators in each process, one after the other.
start_and_stop() { # how many
  local log
  for job in $(seq $((($1 + 4) / 5))); do
    log=$work/start.$BASHPID.$job
    if launch $((5 * limit)) "$program" 5 > "$log" 2>&1; then
      for i in 1 2 3 4 5; do note started "$i"; done
      rm "$log"
    fi
  done
}

kill_and_go_on() { # how many, group
  local begin log
  # A client that dies takes the other clients of its daemon with it.
  open_mps "$2" || return
  for i in $(seq "$1"); do
    begin=$SECONDS
    launch $limit "$program" 1 kill > "$work/kill.$BASHPID" 2>&1
    [ $((SECONDS - begin)) -lt $limit ] && note ended "$i"
    grep -q seen: "$work/kill.$BASHPID" && note seen "$i"
    log=$work/after.$BASHPID.$i
    launch $limit "$program" 1 > "$log" 2>&1 && note recovered "$i" && rm "$log"
    note killed "$i"
  done
  close_mps
}

report() {
  local files processes result=1
  files=$(find /dev/shm -name 'cuco_nic*' | wc -l)
  # What has ended and is only not collected yet holds nothing.
  processes=$(ps -C "$(basename "$program")" -o stat= | grep -vc Z)
  echo "$(noted started) starts and stops of $starts in $groups groups, ${start_seconds:-$SECONDS} s"
  echo "$(noted killed) ranks of $kills killed: $(noted ended) jobs ended by themselves, survivors of $(noted seen) saw" \
    "an error, $(noted recovered) next ones worked, $((SECONDS - ${start_seconds:-$SECONDS})) s"
  echo "left: $files files of shared memory, $processes processes"
  [ "$(noted started)" -ge "$starts" ] && [ "$(noted ended)" -ge "$kills" ] && [ "$(noted recovered)" -ge "$kills" ] &&
    [ "$files" = 0 ] && [ "$processes" = 0 ] && result=0
  [ $result = 0 ] || tail -n 12 "$work"/start.* "$work"/kill.* "$work"/after.* 2> /dev/null
  rm -rf "$work"
  exit $result
}
trap report EXIT
trap 'exit 1' TERM INT

SECONDS=0
open_mps all || exit 1
for _ in $(seq "$groups"); do start_and_stop $(((starts + groups - 1) / groups)) & done
wait
close_mps
start_seconds=$SECONDS
for group in $(seq "$groups"); do kill_and_go_on $(((kills + groups - 1) / groups)) "$group" & done
wait
sleep 1
