#!/usr/bin/env bash
# Makes target/holdfast.aot: what Java learns about the program's classes in one short run of a worker, of an agent and of
# the commands that people type, so that every later start and every first call of a model takes half the time. The launcher
# and the tests use it where it is; nothing needs it. Takes about ten seconds.
#   warm-start.sh [LAUNCHER CACHE]     for another launcher than ./holdfast
set -euo pipefail
root=$(cd -P "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
launcher=${1:-$root/holdfast}
cache=${2:-$root/target/holdfast.aot}
place=$(mktemp -d)
# The server of the run works as another user where this one is root.
chmod 755 "$place"
worker=

cleanup() {
  [ -z "$worker" ] || kill -KILL "$worker" 2>/dev/null || true
  rm -rf "$place"
}
trap cleanup EXIT

has_started() {
  grep -q ' listens on ' "$place/out" 2>/dev/null
}

# Nobody answers at port 9: the call of the model is made, and no more.
has_called() {
  grep -q ' try 1 of ' "$place/out" 2>/dev/null && grep -q '^warm start: approve 1:' "$place/out"
}

# Waits for it a minute at most, and no longer than the worker lives.
await() {
  for _ in $(seq 600); do
    if "$1" || ! kill -0 "$worker" 2>/dev/null; then
      return
    fi
    sleep 0.1
  done
}

cd "$place"
rm -f "$cache"
# No setting of the person who builds takes part in it.
clean=(env -i PATH="$PATH" HOME="$place" ${JAVA_HOME:+JAVA_HOME="$JAVA_HOME"}
  OPENAI_API_KEY=none HOLDFAST_PROVIDERS_OPENAI_BASE_URL=http://127.0.0.1:9)
quick="-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
mkfifo commands
exec 3<>commands
"${clean[@]}" HOLDFAST_JAVA_OPTS="$quick -XX:AOTCacheOutput=$cache -Dholdfast.warm-start=commands -Xlog:disable" \
  "$launcher" worker --embedded --port 0 --no-console >out 2>&1 &
worker=$!
await has_started
if has_started; then
  printf 'kind: agent\ntargets: [{provider: openai, model: none}]\n' >agent.yaml
  cat >&3 <<'COMMANDS'
design put warm --file agent.yaml
enqueue --design warm --payload {"prompt":"Hello."}
list
list --state on_hold --json
show 1
stats
doctor
pause default
resume default
release --fingerprint 00000000
release 1
approve 1
COMMANDS
  await has_called
fi
exec 3>&-
kill -TERM "$worker" 2>/dev/null || true
wait "$worker" || true
worker=
if ! has_started || [ ! -s "$cache" ]; then
  cat "$place/out" >&2
  echo "warm-start: there is no $cache; starts take longer without it" >&2
fi
