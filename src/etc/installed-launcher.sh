#!/bin/sh
# Runs Holdfast as it was unpacked, with the Java beside it. HOLDFAST_JAVA_OPTS adds options for the JVM.
set -eu
self=$0
while [ -L "$self" ]; do
  link=$(readlink "$self")
  case $link in
    /*) self=$link ;;
    *) self=$(dirname "$self")/$link ;;
  esac
done
root=$(unset CDPATH && cd -P "$(dirname "$self")/.." && pwd)

# The command is behind the options of all commands: holdfast --config FILE worker.
command=
previous=
for word in "$@"; do
  case $previous in
    --config | --color) previous= ;;
    *)
      previous=$word
      case $word in
        -*) ;;
        *)
          command=$word
          break
          ;;
      esac
      ;;
  esac
done

# Short commands start faster with the small compiler, which inlines little here; a server is worth the big one.
case $command in
  worker | console | mcp | bench) options=-XX:+ExitOnOutOfMemoryError ;;
  *) options='-XX:TieredStopAtLevel=1 -XX:C1MaxInlineSize=16' ;;
esac
# Java takes one collector: the user's, where there is one.
case "${HOLDFAST_JAVA_OPTS:-} ${JDK_JAVA_OPTIONS:-} ${JAVA_TOOL_OPTIONS:-}" in
  *-XX:+Use*GC*) ;;
  *) options="$options -XX:+UseSerialGC" ;;
esac
# A worker's cache of classes is three times as large, and all of it is loaded at each start.
case $command in
  worker | console | mcp | bench | demo) cache=$root/lib/holdfast.aot ;;
  *) cache=$root/lib/commands.aot ;;
esac
# The demo shows commands to type.
called=$0
[ "$command" != demo ] || [ "$(command -v "${0##*/}")" != "$0" ] || called=${0##*/}
# Java checks whether the file is of this jar and this Java, and does without it in silence. It refuses two of them.
case ${HOLDFAST_JAVA_OPTS:-} in
  *AOT* | *Xshare* | *SharedArchive*) ;;
  *) [ ! -f "$cache" ] || options="$options -Xlog:aot=off,cds=off" ;;
esac
case $options in
  *aot=off*) set -- "-XX:AOTCache=$cache" -jar "$root/lib/holdfast.jar" "$@" ;;
  *) set -- -jar "$root/lib/holdfast.jar" "$@" ;;
esac
# In the C locale Java would turn what is not ASCII into question marks on its way to a program. A locale that is named but not
# installed is the C locale, too. Small images lack the tool that tells.
case $(locale charmap 2>/dev/null) in
  '' | ANSI_X3.4-* | *ASCII* | 646) export LC_ALL=C.UTF-8 ;;
esac
# Files of a moment lie where those of other programs do: Java itself always takes /tmp.
# Nobody may attach to the JVM and dump the secrets in it. For its performance data Java goes to /tmp/hsperfdata_USER, and does not
# come back to a directory that the user cannot read. Options are words.
# shellcheck disable=SC2086
exec "$root/runtime/bin/java" $options --sun-misc-unsafe-memory-access=allow -XX:+DisableAttachMechanism -XX:-UsePerfData "-Dholdfast.called=$called" \
  "-Djava.io.tmpdir=${TMPDIR:-/tmp}" \
  ${HOLDFAST_JAVA_OPTS:-} "$@"
