#!/usr/bin/env bash
# Begins the checks of mvn verify beside its compiler, which leaves one of two processors idle; ChecksIT waits for them. Only pom.xml calls it.
#   checks-beside.sh MAVEN REPOSITORY     Maven's directory, and where it keeps libraries
# target/checks-beside has the process; target/checks-good is there when they found nothing.
set -euo pipefail
unset CDPATH
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
mkdir -p target
rm -f target/checks-good
echo $$ >target/checks-beside
"$1/bin/mvn" -B -q -Dmaven.repo.local="$2" -Pchecks -Dbuild.to=target/checks clean process-test-classes &
checks=$!
# A build that ends early ends them.
trap 'kill "$checks"' TERM
wait "$checks"
touch target/checks-good
