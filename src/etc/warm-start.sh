#!/usr/bin/env bash
# Makes target/holdfast.aot: what Java learns about the program's classes in one short run of a worker, so that every
# later start takes half the time. The launcher and the tests use it where it is; nothing needs it. Takes about ten seconds.
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

cd "$place"
rm -f "$cache"
# No setting of the person who builds takes part in it.
env -i PATH="$PATH" HOME="$place" ${JAVA_HOME:+JAVA_HOME="$JAVA_HOME"} \
  HOLDFAST_JAVA_OPTS="-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:AOTCacheOutput=$cache -Xlog:disable" \
  "$launcher" worker --embedded --port 0 --no-console >out 2>&1 &
worker=$!
for _ in $(seq 600); do
  if has_started || ! kill -0 "$worker" 2>/dev/null; then
    break
  fi
  sleep 0.1
done
kill -TERM "$worker" 2>/dev/null || true
wait "$worker" || true
worker=
if ! has_started || [ ! -s "$cache" ]; then
  cat "$place/out" >&2
  echo "warm-start: there is no $cache; starts take longer without it" >&2
fi
