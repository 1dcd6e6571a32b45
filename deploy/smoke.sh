#!/usr/bin/env bash
# Builds the image and tries docker-compose.yml with it, end to end: ten tickets, two workers, one of them killed, all tickets done.
#   deploy/smoke.sh                                                     the program is built in the image
#   BUILD_TARGET=prebuilt deploy/smoke.sh                               takes target/holdfast.jar as it is; needs no BuildKit
#   RUNTIME_IMAGE=… BUILD_IMAGE=… POSTGRES_IMAGE=… deploy/smoke.sh      with base images of your own
# Everything it made is removed at the end, with the database. Ports: POSTGRES_PORT, CONSOLE_PORT. Exit code 0 where all went well.
set -euo pipefail
cd "$(dirname "$0")/.."
export COMPOSE_PROJECT_NAME=holdfast-smoke WORKER_IMAGE=${WORKER_IMAGE:-holdfast:smoke}
# A project of its own, and ports that a running one does not have.
export POSTGRES_PORT=${POSTGRES_PORT:-55433} CONSOLE_PORT=${CONSOLE_PORT:-58080}
compose() { docker compose "$@"; }
if ! docker compose version >/dev/null 2>&1; then
  command -v docker-compose >/dev/null || { echo "neither 'docker compose' nor docker-compose is installed" >&2; exit 1; }
  compose() { docker-compose "$@"; }
fi
docker info >/dev/null || { echo "no Docker engine answers" >&2; exit 1; }

say() { printf '%4d s  %s\n' "$SECONDS" "$*"; }
holdfast() { compose run --rm -T holdfast "$@" </dev/null; }
end() {
  code=$?
  if [ "$code" != 0 ]; then compose logs --tail 50 || true; fi
  compose down --volumes --timeout 45 >/dev/null 2>&1 || true
  say "removed, exit code $code"
  exit "$code"
}
trap end EXIT
# Waits until a command succeeds.
await() {
  local what=$1 seconds=$2 until=$((SECONDS + $2))
  shift 2
  until "$@"; do
    [ "$SECONDS" -lt "$until" ] || { echo "not within $seconds s: $what" >&2; return 1; }
    sleep 1
  done
}

compose build --quiet holdfast 2>/dev/null || compose build holdfast
say "image $WORKER_IMAGE is built, $(docker save "$WORKER_IMAGE" | gzip | wc -c | awk '{printf "%d", $1 / 1000000}') MB compressed"

compose up --detach --no-build --scale worker=2 >/dev/null 2>&1 || compose up --detach --no-build --scale worker=2
healthy() { [ "$(compose ps -q worker console | xargs docker inspect --format '{{.State.Health.Status}}' | grep -c '^healthy$')" = 3 ]; }
await "two workers and the console are healthy" 180 healthy
say "two workers and the console are healthy"

# The options of deploy/sandbox.compose.yaml, given to docker itself: docker-compose 1.29 does not know all of them.
doctor() {
  # shellcheck disable=SC2046 # options are words
  docker run --rm --init --read-only --tmpfs /tmp --cap-drop ALL --network "${COMPOSE_PROJECT_NAME}_default" \
    $(sed -n 's/^      - \([a-z-]*[:=][^ ]*\)$/--security-opt \1/p' deploy/sandbox.compose.yaml) "$@" \
    --env HOLDFAST_DATABASE_URL=jdbc:postgresql://postgres:5432/holdfast --env HOLDFAST_DATABASE_USER=holdfast \
    --env HOLDFAST_DATABASE_PASSWORD_FILE=/run/secrets/database-password \
    --volume "$(readlink -f "${DATABASE_PASSWORD_FILE:-deploy/trying/database-password}"):/run/secrets/database-password:ro" \
    "$WORKER_IMAGE" doctor || true
}
sandbox=$(doctor --env HOLDFAST_TOOLS_SANDBOX=required | grep ' sandbox: ')
[[ $sandbox == ok* ]] || { echo "the sandbox does not work in a container: $sandbox" >&2; exit 1; }
say "the sandbox works in a container:${sandbox#*sandbox:}"

compose run --rm -T holdfast design put smoke --file /dev/stdin >/dev/null <<'D'
kind: command
review: none
command: [sh, -c, "sleep 5; hostname"]
D
for n in 1 2 3 4 5 6 7 8 9 10; do
  printf '{"design": "smoke", "title": "ticket %d", "unique_key": "smoke-%d"}\n' "$n" "$n"
done | compose run --rm -T holdfast enqueue --file - >/dev/null
say "ten tickets are enqueued"

# shellcheck disable=SC2016 # the container's shell reads the file
QUERY='PGPASSWORD=$(cat /run/secrets/database-password) exec psql --username=holdfast --dbname=holdfast --tuples-only --no-align --command "$1"'
query() { compose exec -T postgres sh -c "$QUERY" sh "$1"; }
running() { [ "$(query "SELECT count(*) > 0 FROM holdfast.tickets WHERE state = 'in_progress'")" = t ]; }
await "a ticket runs" 60 running
victim=$(query "SELECT split_part(worker_id, '-', 1) FROM holdfast.tickets WHERE state = 'in_progress' LIMIT 1")
docker kill "$victim" >/dev/null
say "worker $victim is killed in the middle of its tickets"

finished() { [ "$(query "SELECT count(*) FROM holdfast.tickets WHERE state = 'done'")" = 10 ]; }
await "all ten tickets are done" 300 finished
again=$(query "SELECT count(*) FROM holdfast.tickets WHERE attempt_count > 1")
say "all ten tickets are done, $again of them at the second attempt"
[ "$again" -ge 1 ] || { echo "no ticket was run again: the killed worker had none" >&2; exit 1; }

holdfast stats
compose stop --timeout 45 worker >/dev/null 2>&1
codes=$(compose ps -q worker | xargs docker inspect --format '{{.State.ExitCode}}' | sort -n | tr '\n' ' ')
# 137 is the kill; the other one has drained.
[[ " $codes" == *" 0 "* ]] || { echo "no worker ended with 0 when it was stopped: $codes" >&2; exit 1; }
say "the workers have ended with $codes"
