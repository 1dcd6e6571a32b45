#!/usr/bin/env bash
# The development loop: compiles what changed, without the checks of `mvn verify`, and runs the tests you name.
#   src/etc/dev.sh                       compile only
#   src/etc/dev.sh RetryPolicyTest       compile and run one class; several with commas, one method with Class#method
#   src/etc/dev.sh ClaimIT -Dtest.postgres.image=postgres:17      what follows the class goes to Maven
# It makes target/holdfast.jar too, a jar that only names target/classes and the libraries: ./holdfast and the end-to-end
# tests run what was compiled. `mvn verify` builds the real one again. Needs JDK 25, Maven, find and bash.
set -euo pipefail
unset CDPATH
cd "$(dirname "$0")/../.."
root=$PWD
state=target/dev
mkdir -p "$state" target/classes target/test-classes

find_jdk() {
  local home
  for home in "${JAVA_HOME:-/nonexistent}" /usr/lib/jvm/* "${SDKMAN_DIR:-$HOME/.sdkman}"/candidates/java/*; do
    if grep -qE '^JAVA_VERSION="(2[5-9]|[3-9][0-9])' "$home/release" 2>/dev/null && [ -x "$home/bin/javac" ]; then
      echo "$home"
      return
    fi
  done
  echo "no JDK 25 or newer found; set JAVA_HOME" >&2
  return 1
}

# True where a file below the directories is newer than the mark, or the mark is missing.
changed_since() {
  local mark=$1
  shift
  [ ! -e "$mark" ] || [ -n "$(find "$@" -newer "$mark" -print -quit 2>/dev/null)" ]
}

compile() {
  local target=$1 classpath=$2
  "$jdk/bin/javac" -J-XX:TieredStopAtLevel=1 -J-XX:+UseSerialGC -proc:none -parameters -nowarn -implicit:none \
    --release 25 -d "$target" -cp "$classpath" "@$state/sources.txt"
}

jdk=$(find_jdk)
main=(src/main/java src/bench/java target/generated-sources)
if changed_since "$state/libraries.txt" pom.xml; then
  mvn -q -B dependency:build-classpath -Dmdep.outputFile="$state/libraries.txt"
  touch "$state/libraries.txt"
fi
libraries=$(cat "$state/libraries.txt")
if changed_since "$state/pages" src/main/jte pom.xml; then
  mvn -q -B generate-sources
  touch "$state/pages"
fi
cp -ru src/main/resources/. src/bench/resources/. target/classes/
mkdir -p target/classes/dev/holdfast
rm -rf target/classes/dev/holdfast/db-migrations target/classes/db
cp -r db/migrations target/classes/dev/holdfast/db-migrations
cp -ru src/test/resources/. target/test-classes/

# The files to compile: those that changed since the mark and all that name a type of theirs, also below the other directories.
# All files where the mark is missing, a file was deleted, or many changed. What a type inherits is not looked at: where a
# strange error comes up, delete target/dev.
affected() {
  local mark=$1 changed names
  shift
  find "$@" -name '*.java' | sort >"$mark.files"
  if [ ! -e "$mark" ] || ! [ -e "$mark.known" ] || [ -n "$(comm -13 "$mark.files" "$mark.known")" ]; then
    cat "$mark.files"
    return
  fi
  changed=$(find "$@" -name '*.java' -newer "$mark"; cat "$state/names.more" 2>/dev/null || true)
  names=$(echo "$changed" | sed -n 's|.*/\([A-Za-z0-9]*\)\.java$|\1|p' | sort -u)
  if [ "$(echo "$names" | wc -l)" -gt 40 ]; then
    cat "$mark.files"
  elif [ -n "$names" ]; then
    { find "$@" -name '*.java' -newer "$mark"; grep -rlwF --include='*.java' "$names" "$@" || true; } | sort -u
  fi
}

# Compiles what affected() says; then the mark is as old as the look at the files.
build() {
  local mark=$1 target=$2 classpath=$3
  shift 3
  touch "$mark.next"
  affected "$mark" "$@" >"$state/sources.txt"
  if [ ! -e "$mark" ] || cmp -s "$state/sources.txt" "$mark.files"; then
    find "$target/dev" -name '*.class' -delete 2>/dev/null || true
  fi
  if [ -s "$state/sources.txt" ]; then
    compile "$target" "$classpath"
  fi
  mv "$mark.next" "$mark"
  mv "$mark.files" "$mark.known"
}

rm -f "$state/names.more"
if changed_since "$state/main" "${main[@]}"; then
  find "${main[@]}" -name '*.java' -newer "$state/main" >"$state/changed-main" 2>/dev/null || rm -f "$state/test"
  build "$state/main" target/classes "target/classes:$libraries" "${main[@]}"
  cat "$state/changed-main" >>"$state/test.more" 2>/dev/null || true
fi
if changed_since "$state/test" src/test/java || [ -s "$state/test.more" ]; then
  [ ! -e "$state/test.more" ] || cp "$state/test.more" "$state/names.more"
  build "$state/test" target/test-classes "target/classes:target/test-classes:$libraries" src/test/java
  rm -f "$state/test.more" "$state/names.more"
fi

# The program as a jar that points to what was compiled. A line of a manifest has 72 bytes at most.
if changed_since target/holdfast.jar "$state/main" pom.xml; then
  {
    echo 'Main-Class: dev.holdfast.app.Main'
    echo 'Enable-Native-Access: ALL-UNNAMED'
    echo 'Multi-Release: true'
    echo "Class-Path: $root/target/classes/ ${libraries//:/ }"
  } | awk '{ while (length($0) > 70) { print substr($0, 1, 70); $0 = " " substr($0, 71) } print }' >"$state/manifest.txt"
  rm -f target/holdfast.jar target/holdfast.aot target/commands.aot
  "$jdk/bin/jar" --create --file target/holdfast.jar --manifest "$state/manifest.txt" -C "$state" manifest.txt
fi

[ $# -gt 0 ] || exit 0
classes=$1
shift
# On the JDK that compiled: a goal that is called by its name knows no toolchain.
export JAVA_HOME=$jdk MAVEN_OPTS="--sun-misc-unsafe-memory-access=allow ${MAVEN_OPTS:-}"
mvn -B -Dstyle.color=never surefire:test@integration -Dtest="$classes" "$@" |
  grep -aE '^\[(ERROR|WARNING)|Tests run:|^[^[]'
