#!/usr/bin/env bash
# Makes what Java learns about the program's classes in one short run, so that every later start takes half the time:
# target/holdfast.aot of a worker with console, commands and agent, and target/commands.aot of the commands that people type. They are two, for
# Java loads all classes of a cache at each start, and a command needs a third of a worker's. The launcher and the tests use
# them where they are; nothing needs them. Takes about ten seconds.
#   warm-start.sh [LAUNCHER DIRECTORY]     for another launcher than ./holdfast
set -euo pipefail
unset CDPATH
root=$(cd -P "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
launcher=${1:-$root/holdfast}
caches=${2:-$root/target}
place=$(mktemp -d)
# The server of the run works as another user where this one is root.
chmod 755 "$place"
worker=
commands=

cleanup() {
  for each in $worker $commands; do
    kill -KILL "$each" 2>/dev/null || true
  done
  rm -rf "$place"
}
trap cleanup EXIT

has_started() {
  grep -q ' listens on ' "$place/out" 2>/dev/null
}

has_reported() {
  grep -q ' agent:final-report-accepted: ' "$place/out" 2>/dev/null
}

have_run() {
  grep -q '^approve 1: ' "$place/commands" 2>/dev/null || ! kill -0 "$commands" 2>/dev/null
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
rm -f "$caches/holdfast.aot" "$caches/commands.aot"
# No setting of the person who builds takes part in it. Nobody answers the vendors' libraries at port 9; the script does.
clean=(env -i PATH="$PATH" HOME="$place" ${JAVA_HOME:+JAVA_HOME="$JAVA_HOME"}
  OPENAI_API_KEY=none HOLDFAST_PROVIDERS_OPENAI_BASE_URL=http://127.0.0.1:9
  ANTHROPIC_API_KEY=none HOLDFAST_PROVIDERS_ANTHROPIC_BASE_URL=http://127.0.0.1:9
  HOLDFAST_PROVIDERS_SCRIPTED_TYPE=scripted HOLDFAST_PROVIDERS_SCRIPTED_SCRIPT="$place/script.yaml")
cat >script.yaml <<'SCRIPT'
steps:
  - tool_calls:
      - {name: write_file, arguments: {path: a, content: b}}
      - {name: run_command, arguments: {command: cat a}}
  - tool_calls:
      - {name: agent__final_report, arguments: {status: success, content: done}}
SCRIPT
# Without figures of how often methods ran: from a run with the small compiler they make the big one's code of a server slower (ADR 41).
# The option is a diagnostic one: a later Java that does not know it makes its cache all the same.
no_figures="-XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:-AOTRecordTraining"
quick="-XX:TieredStopAtLevel=1 -XX:+UseSerialGC $no_figures"
"${clean[@]}" HOLDFAST_JAVA_OPTS="$quick -XX:AOTCacheOutput=$caches/holdfast.aot -Xlog:disable" \
  "$launcher" worker --embedded --port 0 >out 2>&1 &
worker=$!
await has_started
if has_started; then
  cat >agent.yaml <<'DESIGN'
kind: agent
tools: [read_file, write_file, run_command]
targets: [{provider: openai, model: a}, {provider: anthropic, model: b}, {provider: scripted, model: c}]
DESIGN
  printf 'kind: command\nreview: none\ncommand: [echo, "{}"]\n' >works.yaml
  printf 'kind: command\ncommand: [sh, -c, "echo it broke >&2; exit 1"]\n' >fails.yaml
  cat >lines <<'LINES'
design put works --file works.yaml
design put fails --file fails.yaml
enqueue --design works
enqueue --design fails
design put warm --file agent.yaml
enqueue --design warm --payload {"prompt":"Hello."}
list
list --state on_hold --json
show 1
stats
logs 1
pause default
resume default
release --fingerprint 00000000
release 1
approve 1
LINES
  "${clean[@]}" HOLDFAST_JAVA_OPTS="$quick -XX:AOTCacheOutput=$caches/commands.aot -Dholdfast.warm-start=lines -Xlog:disable" \
    "$launcher" list >commands 2>&1 &
  commands=$!
  await have_run
  await has_reported
fi
# Each writes its cache when it ends: both at once.
kill -TERM "$worker" 2>/dev/null || true
if [ -n "$commands" ] && ! wait "$commands"; then
  cat commands >&2
fi
commands=
wait "$worker" || true
worker=
for each in holdfast commands; do
  if [ ! -s "$caches/$each.aot" ]; then
    cat "$place/out" >&2
    echo "warm-start: there is no $caches/$each.aot; starts take longer without it" >&2
  fi
done
