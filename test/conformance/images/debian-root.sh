#!/bin/sh
# Unpacks Debian packages with all that they depend on: debian-root.sh FOLDER PACKAGE…
# No script of a package runs, and nothing on this machine is installed.
set -eu
root=$1
shift
apt=$(mktemp -d)
trap 'rm -rf "$apt"' EXIT
mkdir -p "$apt/archives/partial"
# With an empty list of installed packages, apt downloads everything.
: >"$apt/status"
apt-get install --download-only --yes --quiet=2 --no-install-recommends \
  -o "Dir::State::status=$apt/status" -o "Dir::Cache::archives=$apt/archives" -o APT::Sandbox::User=root \
  base-files base-passwd "$@"

rm -rf "$root"
for folder in bin sbin lib lib64; do
  mkdir -p "$root/usr/$folder"
  ln -s "usr/$folder" "$root/$folder"
done
for package in "$apt"/archives/*.deb; do
  dpkg-deb --fsys-tarfile "$package" | tar -x --keep-directory-symlink --no-same-owner -C "$root"
done
# The packages' scripts would make these.
cp "$root/usr/share/base-passwd/passwd.master" "$root/etc/passwd"
cp "$root/usr/share/base-passwd/group.master" "$root/etc/group"
for pair in awk:mawk nc:nc.openbsd which:which.debianutils; do
  [ ! -e "$root/usr/bin/${pair#*:}" ] || ln -sf "${pair#*:}" "$root/usr/bin/${pair%:*}"
done
rm -rf "$root/usr/share/doc" "$root/usr/share/man" "$root/usr/share/locale" "$root/usr/share/info"
