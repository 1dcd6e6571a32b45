#!/usr/bin/env bash
# Looks at the Debian package as somebody does who installs it: release-check-deb.sh PACKAGE. As root it is really installed and removed
# again, over a copy of this machine's files that nobody else sees; else it is only unpacked.
set -euo pipefail
package=$(readlink -f "$1")
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

fail() {
  echo "release-check-deb: $*" >&2
  exit 1
}

has() {
  grep -q -- "$1" "$place/files" || fail "the package lacks $1"
}

# Types what the package has just said of the migration. Systemd does not run here: this gives the command its settings and its
# credentials in the same way, as root. The database that they name is away.
type_migration() {
  local typed status=0
  typed=$(sed -n 's/^ *systemd-run --pipe --wait --collect //p' "$place/out")
  [ -n "$typed" ] || fail "the package does not say how to migrate"
  cp -p /etc/holdfast/holdfast.env "$place/env"
  echo HOLDFAST_DATABASE_URL=jdbc:postgresql://127.0.0.1:1/holdfast >>/etc/holdfast/holdfast.env
  (umask 077 && echo secret >/etc/holdfast/database.password)
  # shellcheck disable=SC2016,SC2086 # the inner shell knows them; what is typed are words
  env -i PATH=/usr/bin:/bin HOME=/ bash -euc '
    while [ "$1" = -p ]; do
      case $2 in
        User=*) getent passwd "${2#*=}" >/dev/null ;;
        EnvironmentFile=*) set -a; . "${2#*=}"; set +a ;;
        LoadCredential=*)
          credential=${2#*=}
          mkdir -p /run/credentials
          cp "${credential#*:}" "/run/credentials/${credential%%:*}"
          export CREDENTIALS_DIRECTORY=/run/credentials
          ;;
        WorkingDirectory=-*) cd "${2#*=-}" 2>/dev/null || cd / ;;
        *) exit 99 ;;
      esac
      shift 2
    done
    exec "$@"' bash $typed >"$place/typed" 2>&1 || status=$?
  [ "$status" = 4 ] && grep -q 127.0.0.1:1 "$place/typed" ||
    fail "the migration that the package tells of ended with $status: $(cat "$place/typed")"
  cp -p "$place/env" /etc/holdfast/holdfast.env
  rm -r /etc/holdfast/database.password /run/credentials
}

# Within the copy: what must be so after each step.
installed() {
  local installed
  dpkg --force-depends --install "$package" >"$place/out" 2>&1 || fail "it is not installed: $(cat "$place/out")"
  type_migration
  installed=$(env -i PATH=/usr/bin:/bin HOME=/ holdfast --version) || fail "holdfast --version ended with $?"
  [[ $installed == holdfast\ * ]] || fail "holdfast --version says: $installed"
  getent passwd holdfast | grep -q ':/var/lib/holdfast:.*nologin$' || fail "there is no user holdfast without a login"
  [ "$(stat -c %a:%U /etc/holdfast/holdfast.env)" = 600:root ] || fail "others may read or write holdfast.env"
  ! systemctl --quiet is-enabled holdfast.service 2>/dev/null || fail "the service is enabled, without a database"
  # It ends with 0 where a line of the unit is merely ignored.
  ! command -v systemd-analyze >/dev/null || ! systemd-analyze verify holdfast.service 2>&1 | grep holdfast.service ||
    fail "systemd finds fault with the unit"
  grep -q 'HOLDFAST_DATABASE_URL=' /etc/holdfast/holdfast.env || fail "holdfast.env does not name what is needed"

  # What a person wrote outlives an upgrade and a removal, and ends with a purge.
  echo HOLDFAST_DATABASE_USER=ann >>/etc/holdfast/holdfast.env
  dpkg --force-depends --install "$package" >"$place/out" 2>&1 || fail "it is not installed again: $(cat "$place/out")"
  grep -q 'holdfast migrate' "$place/out" || fail "an upgrade does not say that the migration comes first"
  ! command -v systemctl >/dev/null || systemctl --quiet enable holdfast.service
  dpkg --remove holdfast >"$place/out" 2>&1 || fail "it is not removed: $(cat "$place/out")"
  [ ! -e /usr/bin/holdfast ] && [ ! -e /usr/lib/holdfast ] || fail "a removal leaves the program"
  [ ! -L /etc/systemd/system/multi-user.target.wants/holdfast.service ] || fail "a removal leaves the service enabled"
  grep -q =ann /etc/holdfast/holdfast.env || fail "a removal takes the settings"
  mkdir -p /var/lib/holdfast/.holdfast
  echo secret >/etc/holdfast/database.password
  dpkg --purge holdfast >"$place/out" 2>&1 || fail "it is not purged: $(cat "$place/out")"
  [ ! -e /etc/holdfast ] && [ ! -e /var/lib/holdfast ] || fail "a purge leaves secrets or working directories"
}

if [ "${2:-}" = within ]; then
  installed
  exit
fi

dpkg-deb --contents "$package" >"$place/files"
for each in ./usr/lib/systemd/system/holdfast.service ./etc/holdfast/holdfast.env ./usr/share/doc/holdfast/copyright \
  ./usr/share/doc/holdfast/db/schema.sql \
  './usr/bin/holdfast -> ../lib/holdfast/bin/holdfast' ./usr/lib/holdfast/lib/holdfast.aot ./usr/lib/holdfast/lib/commands.aot; do
  has "$each"
done
! grep -v ' root/root \| 0/0 ' "$place/files" || fail "files are not root's"
dpkg-deb --extract "$package" "$place/unpacked"
env -i PATH=/usr/bin:/bin HOME="$place" HOLDFAST_JAVA_OPTS=-Xlog:aot "$place/unpacked/usr/bin/holdfast" --version >"$place/out"
grep -q 'Using AOT-linked classes: true' "$place/out" || fail "the cache of classes was not taken"
rm -rf "$place/unpacked"
if command -v lintian >/dev/null; then
  lintian --allow-root --fail-on error --display-level '>=error' "$package" || fail "lintian finds errors"
fi

how="unpacked only: installing takes root"
if [ "$(id -u)" = 0 ]; then
  mkdir "$place/over"
  # shellcheck disable=SC2016 # the inner shell knows them
  unshare --mount bash -euc '
    mount -t tmpfs tmpfs "$1/over"
    mkdir "$1/over/upper" "$1/over/work" "$1/over/root"
    mount -t overlay overlay -o "lowerdir=/,upperdir=$1/over/upper,workdir=$1/over/work" "$1/over/root"
    mount -t proc proc "$1/over/root/proc"
    mount --bind /dev "$1/over/root/dev"
    # The package may lie on another file system than /.
    mkdir -p "$1/over/root/mnt"
    cp "$3" "$1/over/root/mnt/holdfast.deb"
    cp "$2" "$1/over/root/mnt/check"
    exec env -u TMPDIR chroot "$1/over/root" /mnt/check /mnt/holdfast.deb within
  ' bash "$place" "$(readlink -f "$0")" "$package"
  how="installed, upgraded, removed and purged"
fi
echo "release-check-deb: $(du -h "$package" | cut -f1), $how"
