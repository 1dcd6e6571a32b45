#!/usr/bin/env bash
# Prints the measures of the code: how many files and lines, for which duty, and how far the rules
# of CONTRIBUTING.md are missed. Needs bash, find, awk and grep; run it from anywhere.
#   src/etc/measure.sh                    the measures
#   src/etc/measure.sh --since 971b42b    how the product grew since a commit, per package; needs git and a minute
#   src/etc/measure.sh --kept 971b42b     what is left of the product of a commit, wherever it stands now; needs git and two minutes
set -euo pipefail
unset CDPATH
export LC_ALL=C
cd "$(dirname "$0")/../.."

# All counts are of .java files. A line counts as it is: blank lines and comments too.
files() { find "$@" -name '*.java' -print0 2>/dev/null || true; }

# What is left of the classes that there were at a commit, by their names wherever they are now, and what came since.
since() {
  local then=$1 root=src/main/java file name part kept
  declare -A was=()
  while read -r file; do
    was[${file##*/}]=1
  done < <(git ls-tree -r --name-only "$then" -- "$root" | product)
  echo "lines of the product, at $then and now; kept: lines that nobody has touched since"
  printf '%-14s %8s %8s %8s %8s %8s\n' package 'then' now kept changed classes+
  {
    while read -r file; do
      echo "then $(part "$file") $(git show "$then:$file" | wc -l)"
    done < <(git ls-tree -r --name-only "$then" -- "$root" | product)
    while read -r file; do
      name=${file##*/}
      part=$(part "$file")
      if [ -n "${was[$name]:-}" ]; then
        kept=$(git blame -s -w -M "$then..HEAD" -- "$file" | grep -c '^^' || true)
        echo "kept $part $kept"
        echo "changed $part $(($(git show "HEAD:$file" | wc -l) - kept))"
      else
        echo "since $part $(git show "HEAD:$file" | wc -l)"
      fi
    done < <(git ls-tree -r --name-only HEAD -- "$root" | product)
  } | awk '
    { n[$1, $2] += $3; n[$1, "all"] += $3; parts[$2]; parts["all"] }
    END { for (p in parts) printf "%-14s %8d %8d %8d %8d %8d\n", p, n["then", p],
      n["kept", p] + n["changed", p] + n["since", p], n["kept", p], n["changed", p], n["since", p] }' | sort
}

# The benchmark stood among the product once.
product() { grep '\.java$' | grep -vE '/bench/|/Bench[A-Za-z]*\.java'; }

# The first package below dev.holdfast that a file is in.
part() {
  local inside=${1#*/dev/holdfast/}
  case $inside in */*) echo "${inside%%/*}" ;; *) echo . ;; esac
}

if [ "${1:-}" = --since ]; then
  since "${2:?--since needs a commit}"
  exit
fi

# The lines of a commit that are still there, each once, also where they were moved or copied to another file: "file number".
survivors() {
  local then=$1
  git ls-tree -r --name-only HEAD -- src/main/java | product |
    xargs -P 2 -I {} git blame -w -M -C -C --incremental "$then..HEAD" -- {} |
    awk -v then="$(git rev-parse "$then")" '
      length($1) == 40 && NF == 4 { from = $2; count = $4; kept = $1 == then }
      /^filename / && kept { for (i = 0; i < count; i++) print substr($0, 10), from + i }' |
    product_lines | sort -u
}
product_lines() { grep '^src/main/java/' | grep -vE '/bench/|/Bench[A-Za-z]*\.java '; }

# Lines that took the place of others in the same file: of each change as many as it removed for good, or added, if those are fewer.
rewritten() {
  git diff -M -l0 -w -U0 "$1" HEAD -- src/main/java |
    awk -v survivors="$2" '
      function flush() { n += gone < added ? gone : added; gone = added = 0 }
      BEGIN { while ((getline line < survivors) > 0) kept[line] }
      /^diff / { flush(); body = 0; next }
      !body && /^--- a\// { file = substr($0, 7); next }
      /^@@ / { flush(); body = 1; at = substr($2, 2) + 0; next }
      !body || file ~ /\/bench\/|\/Bench[A-Za-z]*\.java$/ { next }
      /^-/ { if (!((file " " at) in kept)) gone++; at++ }
      /^\+/ { added++ }
      END { flush(); print n + 0 }'
}

kept() {
  local then=$1 list left=0 changed
  list=$(mktemp)
  survivors "$then" >"$list"
  left=$(wc -l <"$list")
  changed=$(rewritten "$then" "$list")
  rm "$list"
  echo "lines of the product at $then: $(git ls-tree -r --name-only "$then" -- src/main/java | product |
    while read -r file; do git show "$then:$file"; done | wc -l)"
  echo "still there: $left; rewritten in place: $changed; together: $((left + changed))"
}

if [ "${1:-}" = --kept ]; then
  kept "${2:?--kept needs a commit}"
  exit
fi

# Reads file names that end in NUL; prints "files lines median p90 longest".
sizes() {
  xargs -0 -r awk 'FNR == 1 { n++ } { lines[n]++ } END { for (i in lines) print lines[i] }' |
    sort -n |
    awk '{ v[NR] = $1; sum += $1 }
      END { printf "%d %d %d %d %d\n", NR, sum, v[int((NR + 1) / 2)], v[int(NR * 0.9 + 0.5)], v[NR] }'
}

row() { printf '%-10s %7s %8s %7s %5s %8s\n' "$@"; }

row part files lines median p90 longest
# shellcheck disable=SC2046
{
  row product $(files src/main/java | sizes)
  row bench $(files src/bench/java src/peers/java | sizes)
  row test $(files src/test/java | sizes)
}

main_lines=$(files src/main/java | xargs -0 cat | wc -l)
test_lines=$(files src/test/java | xargs -0 cat | wc -l)
awk -v t="$test_lines" -v m="$main_lines" 'BEGIN { printf "\ntest to main: %.2f\n", t / m }'

echo
echo "files  lines  test to main  package of main"
files src/main/java src/test/java | xargs -0 awk '
  { file = FILENAME; root = file ~ /^src\/main/ ? "main" : "test"
    sub(/^src\/(main|test)\/java\//, "", file); sub(/\/[^\/]*$/, "", file); gsub("/", ".", file)
    if (FNR == 1 && root == "main") count[file]++
    lines[root, file]++ }
  END { for (p in count)
      printf "%5d %6d %13.2f  %s\n", count[p], lines["main", p], lines["test", p] / lines["main", p], p }' |
  sort -k1,1nr -k4

echo
echo "lines  test to main  package of main with those below it"
files src/main/java src/test/java | xargs -0 awk '
  { file = FILENAME; root = file ~ /^src\/main/ ? "main" : "test"
    sub(/^src\/(main|test)\/java\/dev\/holdfast\//, "", file); sub(/\/.*$/, "", file)
    lines[root, file]++; if (root == "main" && file !~ /\.java$/) all[file] }
  END { for (p in all) printf "%5d %13.2f  dev.holdfast.%s\n", lines["main", p], lines["test", p] / lines["main", p], p }' |
  sort -k1,1nr

# Joins each declaration to one line, without comments, texts, annotations and type arguments.
declarations() {
  files src/main/java | xargs -0 awk '
    FNR == 1 { comment = block = 0; text = "" }
    { line = $0
      if (block && line !~ /"""/) next
      if (block) { sub(/^.*"""/, "", line); block = 0 }
      else if (line ~ /"""/) { sub(/""".*/, "\"\"", line); block = 1 }
      if (comment) { if (line ~ /\*\//) { comment = 0; sub(/.*\*\//, "", line) } else next }
      gsub(/"([^"\\]|\\.)*"/, "\"\"", line); gsub(/\047([^\047\\]|\\.)*\047/, "0", line)
      gsub(/\/\*.*\*\//, "", line)
      if (line ~ /\/\*/) { comment = 1; sub(/\/\*.*/, "", line) }
      sub(/\/\/.*/, "", line)
      text = text " " line
      if (line ~ /[{};][ ]*$/) {
        gsub(/@[A-Za-z.]+(\([^()]*\))?/, "", text)
        while (gsub(/<[^<>]*>/, "", text)) { }
        print FILENAME "\t" text
        text = "" } }'
}

wide() {
  awk -F '\t' '$2 ~ /(^| )record [A-Za-z]+ *\(/ {
    inner = $2; sub(/.*record [A-Za-z]+ *\(/, "", inner); sub(/\).*/, "", inner)
    n = gsub(/,/, ",", inner) + 1
    if (n > 12) print "  " n " " $1 }' | sort -nr
}
flags() {
  awk -F '\t' '$2 !~ / record / && $2 ~ /(^|[ )])public [^=;]*\([^)]*boolean [^)]*\)[^=;]*[{]/ { print "  " $1 }'
}

all=$(declarations)
list() { local found=$2; echo; echo "$1: $(grep -c . <<<"$found" || true)"; [ -z "$found" ] || echo "$found"; }
list "records of more than 12 components" "$(wide <<<"$all")"
list "public methods with a boolean parameter" "$(flags <<<"$all")"
list "catch of Exception or Throwable" \
  "$(grep -rnE --include='*.java' 'catch \((final )?(Exception|Throwable) ' src/main/java | cut -d: -f1,2 | sed 's/^/  /')"
list "comments that begin with a question word instead of a thing or a verb" \
  "$(grep -rnEA1 --include='*.java' '^ */\*\*($| )' src/main/java src/bench/java | grep -E '(/\*\*|^[^:]*-[0-9]+- *\*) (How|Whether|Who|Whom|Where|When|Which|What) ' | sed -E 's/^([^:]*):([0-9]+):.*/  \1:\2/; s/^(.*\.java)-([0-9]+)-.*/  \1:\2/')"
