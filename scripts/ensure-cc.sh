#!/usr/bin/env bash
# Prints the path of a working C compiler, installing one if it may: Go's race
# detector is linked by it. Nothing else goes to stdout.
set -euo pipefail
scripts="$(cd "$(dirname "$0")" && pwd)"

find_cc() {
	local path
	path="$(command -v "$(go env CC)")" && "$path" --version >/dev/null 2>&1 && echo "$path"
}

find_cc && exit 0
if "$scripts/apt-install.sh" gcc libc6-dev && find_cc; then
	exit 0
fi
cat >&2 <<'TEXT'
No C compiler was found, and none could be installed from here. Install one:
  Debian, Ubuntu  sudo apt-get install gcc libc6-dev
  Fedora          sudo dnf install gcc
  macOS           xcode-select --install
TEXT
exit 1
