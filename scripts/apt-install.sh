#!/usr/bin/env bash
# Installs Debian packages: apt-install.sh PACKAGE...
#
# Works on Debian and Ubuntu as root or with a sudo that asks nothing; fails
# otherwise, and leaves it to the caller to say what is missing. Everything
# goes to stderr: callers print a path on stdout.
set -euo pipefail
exec 1>&2 </dev/null

if ! command -v apt-get >/dev/null; then
	echo "apt-install: this system has no apt-get"
	exit 1
fi
as_root=(env DEBIAN_FRONTEND=noninteractive)
if [ "$(id -u)" -ne 0 ]; then
	if ! sudo -n true 2>/dev/null; then
		echo "apt-install: not root, and sudo would ask for a password"
		exit 1
	fi
	as_root=(sudo -n "${as_root[@]}")
fi

# Another apt may be at work on a machine that has just booted: wait for it.
apt_get() { "${as_root[@]}" apt-get -o DPkg::Lock::Timeout=120 -y -q "$@"; }
install() { apt_get update && apt_get install --no-install-recommends "$@"; }

echo "apt-install: installing $*"
install "$@" || {
	echo "apt-install: once more, mirrors have hiccups"
	sleep 3
	install "$@"
}
