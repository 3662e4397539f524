#!/bin/bash
# Starts, stops and kills ranks over the emulated NIC: stress.sh LIBRARY PROGRAM STARTS KILLS [GROUPS]. PROGRAM is
# start_stop.cu, built. Groups run side by side, each with an MPS daemon of its own: a client that dies takes the other
# clients of its daemon with it. Ends with 0 when every start worked, every job with a killed rank ended by itself, the
# one after it worked, and neither processes nor shared memory are left.
set -u
library=$1 program=$2 starts=$3 kills=$4 groups=${5:-1}
work=$(mktemp -d)
export LD_LIBRARY_PATH=${NCCL_HOME:?}/lib:${LD_LIBRARY_PATH:-} NCCL_NET_PLUGIN=$library
export NCCL_NET_GDR_LEVEL=SYS NCCL_CROSS_NIC=1 NCCL_MULTI_RANK_GPU_ENABLE=1 NCCL_MAX_CTAS=8 CUDA_DEVICE_MAX_CONNECTIONS=8
root=$([ "$(id -u)" = 0 ] && echo --allow-run-as-root)
limit=20 # Seconds for a job; one that hangs is killed and counts as failed.

launch() { # limit in seconds, then the program
  local seconds=$1
  shift
  # shellcheck disable=SC2086
  timeout -k 2 "$seconds" mpirun $root --oversubscribe --bind-to none --mca plm_rsh_agent true -n 2 \
    bash -c 'NCCL_HOSTID=node$OMPI_COMM_WORLD_RANK exec "$@"' rank "$@"
}

# Five communicators in each process, one after the other.
start_and_stop() { # how many
  local fine=0
  for _ in $(seq $((($1 + 4) / 5))); do launch $((5 * limit)) "$program" 5 > "$work/start.$BASHPID" 2>&1 && fine=$((fine + 5)); done
  echo "$fine"
}

kill_and_go_on() { # how many
  local ended=0 seen=0 recovered=0 begin
  for _ in $(seq "$1"); do
    begin=$SECONDS
    launch $limit "$program" 1 kill > "$work/kill.$BASHPID" 2>&1
    [ $((SECONDS - begin)) -lt $limit ] && ended=$((ended + 1))
    grep -q seen: "$work/kill.$BASHPID" && seen=$((seen + 1))
    launch $limit "$program" 1 > "$work/after.$BASHPID" 2>&1 && recovered=$((recovered + 1))
  done
  echo "$ended $seen $recovered"
}

group() { # its number
  export CUDA_MPS_PIPE_DIRECTORY=$work/mps$1 CUDA_MPS_LOG_DIRECTORY=$work/mps$1
  mkdir -p "$work/mps$1" && nvidia-cuda-mps-control -d || return
  local begin=$SECONDS
  start_and_stop $((starts / groups)) > "$work/starts$1"
  echo $((SECONDS - begin)) > "$work/start_seconds$1"
  begin=$SECONDS
  kill_and_go_on $((kills / groups)) > "$work/kills$1"
  echo $((SECONDS - begin)) > "$work/kill_seconds$1"
  echo quit | timeout 10 nvidia-cuda-mps-control > /dev/null 2>&1
}

sum() { cat "$work"/"$1"* 2> /dev/null | awk -v column="$2" '{ sum += $column } END { print sum + 0 }'; }

for number in $(seq "$groups"); do group "$number" & done
wait
sleep 1
wanted_starts=$((starts / groups * groups)) wanted_kills=$((kills / groups * groups))
files=$(find /dev/shm -name 'cuco_nic*' | wc -l)
# What has ended and is only not collected yet holds nothing.
processes=$(ps -C "$(basename "$program")" -o stat= | grep -vc Z)
echo "$(sum starts 1) starts and stops of $wanted_starts in $groups groups, $(sum start_seconds 1) s of all groups together"
echo "$wanted_kills ranks killed: $(sum kills 1) jobs ended by themselves, survivors of $(sum kills 2) saw an error," \
  "$(sum kills 3) next ones worked, $(sum kill_seconds 1) s of all groups together"
echo "left: $files files of shared memory, $processes processes"
result=1
[ "$(sum starts 1)" -ge "$wanted_starts" ] && [ "$(sum kills 1)" = "$wanted_kills" ] &&
  [ "$(sum kills 3)" = "$wanted_kills" ] && [ "$files" = 0 ] && [ "$processes" = 0 ] && result=0
[ $result = 0 ] || tail -n 3 "$work"/start.* "$work"/kill.* "$work"/after.* 2> /dev/null
rm -rf "$work"
exit $result
