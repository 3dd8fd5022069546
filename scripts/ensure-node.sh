#!/usr/bin/env bash
# Prints the path of a working Node.js that has npm beside it, installing both
# if it may. Nothing else goes to stdout.
set -euo pipefail
scripts="$(cd "$(dirname "$0")" && pwd)"

find_node() {
	local path
	path="$(command -v node)" && "$path" --version >/dev/null 2>&1 && npm --version >/dev/null 2>&1 && echo "$path"
}

find_node && exit 0
if "$scripts/apt-install.sh" nodejs npm && find_node; then
	exit 0
fi
cat >&2 <<'TEXT'
No Node.js with npm was found, and none could be installed from here. Install both:
  Debian, Ubuntu  sudo apt-get install nodejs npm
  Fedora          sudo dnf install nodejs npm
  macOS           brew install node
TEXT
exit 1
