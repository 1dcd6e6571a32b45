#!/usr/bin/env bash
# Makes of target/holdfast.jar what people install, in target/release: a tarball with a Java runtime of its own.
# mvn -Prelease runs it, after it has made target/runtime, and makes the Debian package of the tarball: release.sh VERSION MACHINE TIMESTAMP
set -euo pipefail
unset CDPATH
version=$1 machine=$2 timestamp=$3
root=$(cd -P "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
release=$root/target/release

case $machine-$(uname -m) in
  linux-x64-x86_64 | linux-arm64-aarch64) ;;
  *) echo "there are releases for Linux on x86_64 and aarch64 only, not for $(uname -sm)" >&2 && exit 1 ;;
esac

name=holdfast-$version-$machine
place=$release/$name
rm -rf "$place" "$release/$name.tar.gz"
mkdir -p "$place/bin" "$place/lib"

cp -R "$root/target/runtime" "$place/runtime"
install -m 755 "$root/src/etc/installed-launcher.sh" "$place/bin/holdfast"
cp "$root/target/holdfast.jar" "$place/lib/holdfast.jar"
cp "$root/LICENSE" "$root/README.md" "$root/CHANGELOG.md" "$root/CONTRIBUTING.md" "$place/"
# The documentation, and what it leads to: who upgrades reads the headers of the new migrations, an editor the designs' schemas.
cp -R "$root/docs" "$root/deploy" "$root/db" "$place/"
(cd "$root" && cp --parents src/main/resources/dev/holdfast/handler/*.schema.json "$place/")

# The cache of classes holds for files of this age only, so they get theirs before; tar keeps it.
find "$place" -exec touch -h -d "$timestamp" {} +
"$root/src/etc/warm-start.sh" "$place/bin/holdfast" "$place/lib"
[ -s "$place/lib/holdfast.aot" ] && [ -s "$place/lib/commands.aot" ] || exit 1
touch -d "$timestamp" "$place"/lib/*.aot "$place/lib"

tar --create --gzip --file "$release/$name.tar.gz" --directory "$release" --sort=name --owner=0 --group=0 --numeric-owner "$name"
rm -rf "$place"
cp "$root/target/holdfast.jar" "$release/holdfast-$version.jar"
