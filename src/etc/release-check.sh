#!/usr/bin/env bash
# Looks at what release.sh made, as somebody does who installs it: unpacks it in a new directory and runs it without any other Java.
set -euo pipefail
unset CDPATH
root=$(cd -P "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
release=$root/target/release
place=$(mktemp -d)
chmod 755 "$place"
worker=
trap '[ -z "$worker" ] || kill -KILL "$worker" 2>/dev/null || true; rm -rf "$place"' EXIT

fail() {
  echo "release-check: $*" >&2
  exit 1
}

run() {
  env -i PATH=/usr/bin:/bin HOME="$place" "$@"
}

cd "$place"
(cd "$release" && sha256sum --check --quiet SHA256SUMS)
tar -xzf "$release"/holdfast-*.tar.gz
installed=$(echo "$place"/holdfast-*)
ln -s "$installed/bin/holdfast" "$place/holdfast"
# What a page of the documentation leads to is there.
find "$installed" -name '*.md' -not -path '*/runtime/*' | while read -r page; do
  { grep -oE '\]\([^)#: ]+[)#]' "$page" || true; } | sed 's/^](//; s/[)#]$//' | while read -r link; do
    [ -e "$(dirname "$page")/$link" ] || fail "${page#"$installed/"} leads to $link, which is missing"
  done
done
run "$place/holdfast" --version
run "$place/holdfast" classify "503 Service Unavailable" | grep -q transient || fail "classify does not know a 503"

# A worker with a database of its own does a ticket, and ends when it is told to.
mkdir "$place/work"
cd "$place/work"
env -i PATH=/usr/bin:/bin HOME="$place" HOLDFAST_JAVA_OPTS=-Xlog:aot \
  "$place/holdfast" worker --embedded --port 0 --no-console >out 2>&1 &
worker=$!
for _ in $(seq 300); do
  ! grep -q ' listens on ' out || break
  kill -0 "$worker" 2>/dev/null || fail "the worker ended: $(tail -n 5 out)"
  sleep 0.1
done
grep -q 'Using AOT-linked classes: true' out || fail "the cache of classes was not taken"
run "$place/holdfast" design list >/dev/null
ticket=$(run "$place/holdfast" enqueue --kind nobody)
run "$place/holdfast" show "$ticket" | grep -q "#$ticket" || fail "ticket $ticket is not shown"
kill -TERM "$worker"
wait "$worker" || fail "the worker did not end well: $(tail -n 5 out)"
worker=

if command -v dpkg-deb >/dev/null; then
  "$root/src/etc/release-check-deb.sh" "$release"/holdfast_*.deb
else
  echo "release-check: dpkg is missing, so nobody has looked at the Debian package"
fi

# Each jar of the program is in the bill of materials.
jars=0
while IFS=: read -r group artifact _; do
  jars=$((jars + 1))
  grep -q "pkg:maven/$group/$artifact@" "$release"/*-sbom.json || fail "the bill of materials lacks $group:$artifact"
done < <(sed -n 's/^ *\([a-zA-Z][^ :]*:[^ :]*:jar:.*\)$/\1/p' "$root/target/release-jars.txt")
[ "$jars" -gt 50 ] || fail "target/release-jars.txt names $jars jars only"
echo "release-check: $(du -h "$release"/*.tar.gz | cut -f1) tarball, $jars jars in the bill of materials"
