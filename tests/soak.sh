#!/usr/bin/env bash
# A soak, run by hand: texts that were verified are called very often in a loop, under many schedules, and must stay
# without a finding.
#   tests/soak.sh prepare FOLDER           writes the texts: every bundled workload's configuration `small`, by each
#                                          backend that can carry it, and by plans with streams and fused kernels
#   tests/soak.sh run FOLDER [JOBS]        calls each 1000 times under 64 schedules, JOBS at a time (default: all cores)
# SCHEDULES, CALLS, SHARE (schedules of one command), ONLY (a part of the texts' names) and EXTRA (options of cuco
# evaluate, such as --no-sandbox) change that. What is done is kept in FOLDER/done: a soak that was stopped goes on where
# it was, and `tests/soak.sh table FOLDER` shows how far it got. `run` ends with the same table, a line for each text:
#   TEXT  SCHEDULES x CALLS  no finding | FINDING ...  seconds of the slowest command
set -u -o pipefail
root="$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." && pwd)"
cuco="${CUCO:-$root/build/release/bin/cuco}"
folder="${2:-}"
if [ -z "$folder" ]; then
  sed -n '2,12s/^# \{0,1\}//p' "$0"
  exit 2
fi
mkdir -p "$folder/done"
folder="$(cd "$folder" && pwd)"
cd "$root" || exit 2

# WORKLOAD NAME OPTIONS...: the text FOLDER/WORKLOAD-NAME.cu.
write_text() {
  local workload="$1" name="$2"
  shift 2
  local text="$folder/$workload-$name"
  [ -e "$text.cu" ] && return
  if "$cuco" transform "workloads/$workload" --config small --seeds 1 --no-nvcc --single-file -o "$text.cu" "$@" \
    >"$text.log" 2>&1; then
    echo "$workload-$name: written"
  else
    echo "$workload-$name: not written: $(grep -m 1 -E 'error|rejected|cannot' "$text.log" | cut -c 1-150)"
  fi
}

# A plan that gives every site of the fast path's plan this directive.
write_planned() {
  local workload="$1" name="$2" directive="$3" schedule="$4" source="$folder/$1-lsa.plan"
  [ -e "$source" ] || return
  { grep -o '^s[0-9]* ' "$source" | sed "s|\$|$directive|"; echo "schedule $schedule"; } >"$folder/$workload-$name.asked"
  write_text "$workload" "$name" --plan "$folder/$workload-$name.asked"
}

prepare_workload() {
  local workload="$1" backend
  for backend in lsa gin hybrid; do write_text "$workload" "$backend" --backend "$backend"; done
  write_planned "$workload" stream gin/stream/barrier/cta/whole "streams=1"
  write_planned "$workload" fused-lsa lsa/tile-fused/flag/cta/64KiB "streams=0"
  write_planned "$workload" fused-gin gin/tile-fused/chunk-signal/cta/64KiB "streams=0"
  write_planned "$workload" specialised lsa/specialised/flag/cta/64KiB "streams=0"
}

prepare() {
  local workload
  for workload in $(cd workloads && ls -d -- */ | tr -d /); do prepare_workload "$workload" & done
  wait
}

calls="${CALLS:-1000}" schedules="${SCHEDULES:-64}" share="${SHARE:-4}"

# TEXT FIRST: schedules FIRST .. FIRST + share - 1.
soak_some() {
  local text="$1" first="$2" name workload begin
  name="$(basename "$text" .cu)" workload="${name%%-*}" begin="$(date +%s)"
  local out="$folder/done/$name.$calls.$first.$share"
  [ -e "$out" ] && return
  # The placement of the text's own verdict: a backend may have asked for more nodes than the workload has.
  local placed
  placed="$(sed -n 's/^judge .*--config small\(.*\)--no-nvcc.*/\1/p' "${text%.cu}.log")"
  # shellcheck disable=SC2086
  "$cuco" evaluate "workloads/$workload" --config small $placed --candidate "$text" --rewritten --calls "$calls" \
    --seed "$first" --seeds "$share" --jobs 1 --limit 7200 --no-nvcc --no-cache ${EXTRA:-} >"$out.part" 2>&1
  local code=$?
  # What this machine or a signal ended says nothing of the text.
  if [ $code -gt 1 ] || grep -q -E '^ *(limit|crash)\b' "$out.part"; then
    mv "$out.part" "$out.failed"
  else
    echo "exit $code, $(($(date +%s) - begin)) s" >>"$out.part"
    mv "$out.part" "$out"
  fi
}

table() {
  local text name file count slowest state
  for text in "$folder"/*.cu; do
    name="$(basename "$text" .cu)" count=0 slowest=0 state="no finding"
    for file in "$folder/done/$name.$calls".*; do
      case "$file" in
        *.failed) state="not run to its end: $(grep -m 1 -v '^$' "$file" | cut -c 1-100)" ;;
        *.part | *'*') ;;
        *)
          count=$((count + share))
          local seconds
          seconds="$(sed -n 's/^exit [0-9]*, \([0-9]*\) s$/\1/p' "$file")"
          [ "${seconds:-0}" -gt "$slowest" ] && slowest="$seconds"
          grep -q '^exit 0,' "$file" || state="FINDING: $(sed -n 2p "$file" | cut -c 1-100)"
          ;;
      esac
    done
    printf '%-32s %2d x %d  %s  %d s\n' "$name" "$count" "$calls" "$state" "$slowest"
  done
}

run() {
  local jobs="${1:-$(nproc)}" text first
  export -f soak_some
  export folder calls share cuco
  # Schedule by schedule, so that a soak that is stopped early has seen every text.
  for ((first = 1; first <= schedules; first += share)); do
    for text in "$folder"/*${ONLY:-}*.cu; do printf '%s\0%s\0' "$text" "$first"; done
  done | xargs -0 -n 2 -P "$jobs" bash -c 'soak_some "$@"' soak
  table
}

case "${1:-}" in
  prepare) prepare ;;
  run) run "${3:-}" ;;
  table) table ;;
  *) echo "prepare, run or table, not '${1:-}'" && exit 2 ;;
esac
