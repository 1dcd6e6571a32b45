#!/usr/bin/env bash
# Types the commands of docker that docs/deployment.md shows, as they stand there, end to end: the image, two workers, one of them killed in the
# middle of its ticket, which the other then does, the sandbox, Prometheus and Grafana.
#   deploy/smoke.sh                                                     the program is built in the image
#   BUILD_TARGET=prebuilt deploy/smoke.sh                               ./holdfast builds it, the image packs it; needs a JDK 25 and no BuildKit
#   RUNTIME_IMAGE=… BUILD_IMAGE=… POSTGRES_IMAGE=… deploy/smoke.sh      with base images of your own; PROMETHEUS_IMAGE, GRAFANA_IMAGE too
#   MONITORING=prometheus deploy/smoke.sh                               without Grafana; MONITORING= without both
#   deploy/smoke.sh --list                                              only says what it would type
# Needs bash, awk, curl and Docker, with 'docker compose' or docker-compose 1.29; the latter leaves out the sandbox's file for compose.
# Everything it made is removed at the end, with the database. Ports: POSTGRES_PORT, CONSOLE_PORT, PROMETHEUS_PORT, GRAFANA_PORT.
# Exit code 0 where all went well.
set -euo pipefail
unset CDPATH
cd "$(dirname "$0")/.."
# A project of its own, and ports that a running one does not have.
export COMPOSE_PROJECT_NAME=holdfast-smoke WORKER_IMAGE=${WORKER_IMAGE:-holdfast:smoke}
export POSTGRES_PORT=${POSTGRES_PORT:-55433} CONSOLE_PORT=${CONSOLE_PORT:-58080}
export PROMETHEUS_PORT=${PROMETHEUS_PORT:-59090} GRAFANA_PORT=${GRAFANA_PORT:-53000}
target=${BUILD_TARGET:-program} monitoring=${MONITORING-prometheus grafana}
# By compose nothing is built.
unset BUILD_TARGET

# The commands of the first block below a heading of the page, each on one line.
block() {
  awk -v heading="## $1" '
    $0 == heading { below = 1 }
    below && /^```sh$/ { inside = 1; next }
    inside && /^```$/ { exit }
    inside { sub(/ +# .*/, ""); line = line $0
             if (sub(/ *\\$/, " ", line) || line ~ /\|$/) next
             gsub(/  +/, " ", line); print line; line = "" }' docs/deployment.md
}
# Those that stand elsewhere: an option of docker in a table, and what the files for compose say of themselves.
# shellcheck disable=SC2016 # these are marks of the page
confined() { sed -n 's/.*`\(docker run --security-opt [^`]*\)`.*/\1/p' docs/deployment.md; }
with() { sed -n 's/^#   \(docker compose .*\)/\1/p' "deploy/$1.compose.yaml"; }

if [ "${1:-}" = --list ]; then
  block Docker; block "docker compose"; block Sandbox; confined; with sandbox; with monitoring
  exit
fi

version=2
compose() { command docker compose "$@"; }
if ! command docker compose version >/dev/null 2>&1; then
  command -v docker-compose >/dev/null || { echo "neither 'docker compose' nor docker-compose is installed" >&2; exit 1; }
  version=1
  compose() { docker-compose "$@"; }
fi
command docker info >/dev/null || { echo "no Docker engine answers" >&2; exit 1; }
case " $target " in " program " | " prebuilt ") ;; *) echo "BUILD_TARGET is program or prebuilt" >&2; exit 2 ;; esac

# shellcheck disable=SC2032 # see state
# The page's docker: base images of one's own, and the network in which its database is.
docker() {
  local what=$1
  shift
  case $what in
    compose) compose "$@" ;;
    build) command docker build ${BUILD_IMAGE:+--build-arg "BUILD_IMAGE=$BUILD_IMAGE"} ${RUNTIME_IMAGE:+--build-arg "RUNTIME_IMAGE=$RUNTIME_IMAGE"} "$@" ;;
    run) command docker run --network "${COMPOSE_PROJECT_NAME}_default" "$@" ;;
    *) command docker "$what" "$@" ;;
  esac
}
say() { printf '%4d s  %s\n' "$SECONDS" "$*"; }
fail() { echo "$*" >&2; exit 1; }
# Types a command of the page; what it prints is in $printed. The page leaves the database's address and a container's name to the reader.
address="postgres://holdfast:$(cat "${DATABASE_PASSWORD_FILE:-deploy/trying/database-password}")@postgres/holdfast"
container=
log=$(mktemp)
type_() {
  local command=${1//holdfast:local/$WORKER_IMAGE}
  say "\$ $command"
  command=${command//_URL=…/_URL=$address}
  eval "${command//CONTAINER/$container}" </dev/null >"$log" 2>"$log.err" || { cat "$log" "$log.err" >&2; fail "failed: $1"; }
  printed=$(cat "$log")
}
started=
end() {
  code=$?
  if [ "$code" != 0 ]; then compose logs --tail 50 || true; fi
  if [ -n "$started" ]; then command docker rm --force --volumes "$started" >/dev/null 2>&1 || true; fi
  compose -f docker-compose.yml -f deploy/monitoring.compose.yaml down --volumes --timeout 45 >/dev/null 2>&1 || true
  rm -f "$log" "$log.err"
  say "removed, exit code $code"
  exit "$code"
}
trap end EXIT
# Waits until a command succeeds.
await() {
  local what=$1 seconds=$2 until=$((SECONDS + $2))
  shift 2
  until "$@"; do
    [ "$SECONDS" -lt "$until" ] || fail "not within $seconds s: $what"
    sleep 1
  done
}
# What docker says of the containers of services, stopped ones too: one line each.
# shellcheck disable=SC2033 # docker itself is meant
state() { local format=$1; shift; compose ps --all -q "$@" | xargs docker inspect --format "$format"; }
healthy() { local number=$1; shift; [ "$(state '{{.State.Health.Status}}' "$@" | grep -c '^healthy$')" = "$number" ]; }
# shellcheck disable=SC2016 # the container's shell reads the file
QUERY='PGPASSWORD=$(cat /run/secrets/database-password) exec psql --username=holdfast --dbname=holdfast --tuples-only --no-align --command "$1"'
query() { compose exec -T postgres sh -c "$QUERY" sh "$1" </dev/null; }
is() { [ "$(query "SELECT $1")" = t ]; }

while read -r command <&3; do
  case $command in
    *"--target prebuilt"* | "./holdfast --version") [ "$target" = prebuilt ] || continue ;;
    "docker build "*) [ "$target" = program ] || continue ;;
    "docker run "*)
      compose up --detach postgres >/dev/null 2>&1
      await "the database answers" 60 healthy 1 postgres ;;
  esac
  type_ "$command"
  case $command in
    "docker build "*)
      say "image $WORKER_IMAGE is built, $(command docker save "$WORKER_IMAGE" | gzip | wc -c | awk '{printf "%d", $1 / 1000000}') MB compressed" ;;
    "docker run --detach "*)
      started=$printed
      await "a worker claims" 120 is "count(*) = 1 FROM holdfast.workers WHERE state = 'running'"
      command docker stop "$started" >/dev/null
      code=$(command docker inspect --format '{{.State.ExitCode}}' "$started")
      [ "$code" = 0 ] || fail "a worker that was stopped ended with $code"
      say "a worker has started, and ended with 0 when it was stopped" ;;
  esac
done 3< <(block Docker)

while read -r command <&3; do
  type_ "$command"
  case $command in
    *" up "*)
      await "two workers and the console are healthy" 180 healthy 3 worker console
      say "two workers and the console are healthy" ;;
    *" ps "*)
      [ "$(grep -c healthy <<<"$(compose ps)")" -ge 4 ] || fail "not four are healthy: $(compose ps)"
      grep -qE 'migrate.*Exit(ed)? \(?0' <<<"$printed" || fail "migrate is not shown as ended: $printed" ;;
    *" enqueue "*) await "a ticket runs" 60 is "count(*) > 0 FROM holdfast.tickets WHERE state = 'in_progress'" ;;
    *" list") container=$(awk '/ in_progress / { sub(/-.*/, "", $NF); print $NF; exit }' <<<"$printed") ;;
    "docker kill "*)
      say "worker $container is killed in the middle of its ticket"
      await "the other has done the ticket" 300 is "bool_and(state = 'done') FROM holdfast.tickets"
      is "bool_and(attempt_count = 2) FROM holdfast.tickets" || fail "the ticket was not run again: the killed worker did not have it"
      say "the other worker has done the ticket, at the second attempt" ;;
    *" stop")
      codes=$(state '{{.State.ExitCode}}' worker console | sort -n | tr '\n' ' ')
      # 137 is the kill; the others have drained.
      [ "$codes" = "0 0 137 " ] || fail "workers and console ended with $codes"
      say "the workers and the console have ended with $codes"
      # With their directories of attempts, which would stay when the next command starts one worker only.
      compose rm --force -v worker >/dev/null 2>&1 ;;
  esac
done 3< <(block "docker compose")

# The sandbox: by docker, and by compose where it knows the options.
if [ "$version" = 2 ]; then type_ "$(with sandbox)"; else type_ "docker compose up --detach"; fi
await "a worker and the console are healthy" 180 healthy 2 worker console
confined="ok    sandbox: bubblewrap works, and is required"
command=$(confined)
type_ "${command%…}--rm -e HOLDFAST_DATABASE_URL=… -e HOLDFAST_TOOLS_SANDBOX=required holdfast:local doctor"
grep -q "^$confined" <<<"$printed" || fail "the sandbox does not work in a container: $printed"
container=$(compose ps -q worker)
type_ "$(block Sandbox)"
[ "$version" = 1 ] || grep -q "^$confined" <<<"$printed" || fail "the sandbox does not work in a worker's container: $printed"
say "the sandbox works"

answer() { curl -fsS -G "http://127.0.0.1:$1" "${@:2}" 2>/dev/null; }
scraped() { answer "$PROMETHEUS_PORT/api/v1/query" --data-urlencode 'query=sum(up{job="holdfast"})' | grep -q ',"1"\]'; }
evaluated() { answer "$PROMETHEUS_PORT/api/v1/rules" >"$log" && grep -q HoldfastNoWorker "$log" && ! grep -qE '"health":"(unknown|err)"' "$log"; }
shown() { answer "$GRAFANA_PORT/api/dashboards/uid/holdfast" -u "admin:$(cat "${GRAFANA_PASSWORD_FILE:-deploy/trying/grafana-password}")" | grep -q '"title":"Holdfast"'; }
if [ -n "$monitoring" ]; then
  command=$(with monitoring)
  [[ " $monitoring " == *" grafana "* ]] || command+=" worker console $monitoring"
  # It would be made anew, without what the sandbox needs, and its directory would stay.
  compose rm --force --stop -v worker >/dev/null 2>&1
  type_ "$command"
  await "Prometheus has asked the worker" 120 scraped
  await "Prometheus has evaluated each alert" 120 evaluated
  say "Prometheus asks the worker, and evaluates $(grep -o '"health":"ok"' "$log" | wc -l) alerts"
  if [[ " $monitoring " == *" grafana "* ]]; then
    await "Grafana shows the dashboard" 120 shown
    say "Grafana has the dashboard"
  fi
fi
