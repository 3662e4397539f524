# Sourced by ./run and ./test, which set `root`: packages, configuration and build, quiet unless something is wrong.
# Whatever cannot be had ends the script with a reason, the line that helps, and status 2.

preset="${CUCO_PRESET:-release}"
build_folder="$root/build/$preset"
log="$root/build/$preset.log"
install_mib_needed=1600
build_mib_needed=800
apt_options=(-o DPkg::Lock::Timeout=300 -o Acquire::Retries=2)

say() { printf '%s\n' "$@" >&2; }

give_up() {
  say "$@"
  exit 2
}

show_log_and_give_up() {
  tail -n 40 "$log" >&2
  give_up "$@" "The whole log: $log"
}

missing_packages() {
  local package
  sed 's/#.*//' "$root/setup/packages.txt" | while read -r package; do
    [ -n "$package" ] || continue
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || printf '%s ' "$package"
  done
}

require_disk() { # folder, MiB, what for
  local free
  free=$(df -Pm "$1" | awk 'NR == 2 { print $4 }')
  [ "$free" -ge "$2" ] || give_up "Too little disk: $3 needs $2 MiB in $1, which has $free."
}

# Prints the words that make the rest of a command run as root.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    echo env
  elif command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
    echo sudo
  fi
}

# The package lists have a lock that DPkg::Lock::Timeout does not cover.
update_package_lists() { # words of as_root
  local try
  for try in 1 2 3 4 5 6; do
    "$@" apt-get "${apt_options[@]}" update >"$log" 2>&1 && ! grep -q '^[WE]: Failed to fetch' "$log" && return 0
    grep -q 'Could not get lock' "$log" || return 1
    say "Another program holds apt's lock; trying again in 10 s ($try of 6)."
    sleep 10
  done
  return 1
}

install_packages() {
  local packages line root_words
  command -v dpkg-query >/dev/null || return 0 # Not Debian or Ubuntu: CMake says what it does not find.
  read -ra packages <<<"$(missing_packages)"
  [ "${#packages[@]}" -gt 0 ] || return 0
  line="apt-get update && apt-get install -y --no-install-recommends ${packages[*]}"
  read -ra root_words <<<"$(as_root)"
  [ "${#root_words[@]}" -gt 0 ] ||
    give_up "Packages are missing, and neither root nor sudo is at hand. As root, run:" "  $line"
  require_disk /usr "$install_mib_needed" "installing packages"
  say "Installing ${packages[*]}"
  update_package_lists "${root_words[@]}" ||
    say "The package lists cannot be refreshed (network, proxy or a held lock); trying with those at hand."
  "${root_words[@]}" env DEBIAN_FRONTEND=noninteractive apt-get "${apt_options[@]}" install -y \
    --no-install-recommends "${packages[@]}" >"$log" 2>&1 ||
    show_log_and_give_up "Installing failed. cuco needs Debian 12, or Ubuntu 24.04 with universe, and their servers." \
      "When they can be reached, as root:" "  $line"
}

require_cmake() {
  local version
  version=$(cmake --version 2>/dev/null | awk 'NR == 1 { print $3 }')
  [ -n "$version" ] || give_up "cmake is not there; cuco needs 3.25 or later."
  [ "$(printf '3.25\n%s\n' "$version" | sort -V | head -n 1)" = 3.25 ] ||
    give_up "cmake $version is too old: cuco needs 3.25 or later, as in Debian 12 and Ubuntu 24.04." \
      "'pip install cmake' also gives one."
}

# Ninja itself configures again when a CMake file changes.
configure() {
  local cache="$build_folder/CMakeCache.txt"
  if [ -e "$cache" ] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$cache"; then
    rm -rf "$build_folder" # The tree was moved or copied; CMake refuses to go on from such a cache.
  fi
  [ -e "$build_folder/build.ninja" ] && return 0
  require_cmake
  (cd "$root" && cmake --preset "$preset") >"$log" 2>&1 || show_log_and_give_up "CMake could not configure the build."
}

# One job a core, but no more than one per 2 GiB: a file with Clang's headers takes 840 MB, and others need room.
job_count() {
  local cores memory_gib limit
  cores=$(nproc)
  memory_gib=$(awk '/^MemAvailable/ { print int($2 / 1048576) }' /proc/meminfo)
  limit=$(cat /sys/fs/cgroup/memory.max 2>/dev/null || echo max)
  if [[ "$limit" =~ ^[0-9]+$ ]] && [ $((limit >> 30)) -lt "$memory_gib" ]; then memory_gib=$((limit >> 30)); fi
  local jobs=$((memory_gib / 2 < cores ? memory_gib / 2 : cores))
  echo $((jobs > 0 ? jobs : 1))
}

# Nothing for the first seconds; then the builder's last line, in place on a terminal, once otherwise.
show_progress() { # process
  local seconds=0
  while kill -0 "$1" 2>/dev/null; do
    sleep 0.2
    seconds=$((seconds + 1))
    if [ -t 2 ] && [ $seconds -gt 10 ]; then
      printf '\r\033[K%.*s' "$(($(tput cols 2>/dev/null || echo 80) - 1))" "Building: $(tail -n 1 "$log")" >&2
    elif [ $seconds -eq 25 ]; then
      say "Building cuco; a first build takes minutes."
    fi
  done
  [ -t 2 ] && [ $seconds -gt 10 ] && printf '\r\033[K' >&2
  return 0
}

build() { # Ninja targets; none for all
  local ninja
  [ -e "$build_folder/bin/cuco" ] || require_disk "$root/build" "$build_mib_needed" "building"
  # A background process ignores Ctrl-C, so it is ended by hand.
  NINJA_STATUS='[%f/%t] ' ninja -C "$build_folder" -j "$(job_count)" "$@" >"$log" 2>&1 &
  ninja=$!
  trap 'kill "$ninja" 2>/dev/null; exit 130' INT TERM
  show_progress "$ninja"
  wait "$ninja" || show_log_and_give_up "The build failed."
  trap - INT TERM
}

set_up() { # Ninja targets
  mkdir -p "$root/build" || exit 2
  # Two set-ups at a time in one tree would spoil each other; the lock ends with descriptor 9.
  exec 9>"$root/build/.lock"
  flock 9
  install_packages
  configure
  build "$@"
  exec 9>&-
}
