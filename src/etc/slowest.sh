#!/usr/bin/env bash
# The classes of tests that took longest in the last run, with their seconds; in the second pass a class stands apart.
#   src/etc/slowest.sh [N]      N classes, 10 if none is said
set -euo pipefail
unset CDPATH
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
most=${1:-10}
all=$(sed -n 's/^Tests run:.*Time elapsed: \([0-9.]*\) s.* -- in \(.*\)$/\1 \2/p' target/surefire-reports/*.txt | sort -rn)
echo "the $most slowest of $(wc -l <<<"$all") classes of tests, which together took $(awk '{ s += $1 } END { printf "%d", s }' <<<"$all") s:"
sed "${most}q" <<<"$all"
