#!/usr/bin/env bash
# Prints the path of a working Chromium, installing one if it may. Nothing else
# goes to stdout.
set -euo pipefail
scripts="$(cd "$(dirname "$0")" && pwd)"

works() { "$1" --version >/dev/null 2>&1 </dev/null; }

# Prints the first browser that runs.
find_browser() {
	local candidate path
	for candidate in google-chrome google-chrome-stable chrome chromium chromium-browser \
		microsoft-edge microsoft-edge-stable brave-browser brave \
		"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome" \
		"/Applications/Chromium.app/Contents/MacOS/Chromium" \
		"/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge" \
		"/Applications/Brave Browser.app/Contents/MacOS/Brave Browser"; do
		if path="$(command -v "$candidate")" && works "$path"; then
			echo "$path"
			return
		fi
	done
	return 1
}

# A browser that somebody named and that does not run is a mistake to tell, not
# to paper over with another one.
if [ -n "${CDPSUPERVISOR_CHROMIUM:-}" ]; then
	if path="$(command -v "$CDPSUPERVISOR_CHROMIUM")" && works "$path"; then
		echo "$path"
		exit 0
	fi
	echo "CDPSUPERVISOR_CHROMIUM is '$CDPSUPERVISOR_CHROMIUM', and '$CDPSUPERVISOR_CHROMIUM --version' fails; correct or unset it" >&2
	exit 1
fi

find_browser && exit 0
if "$scripts/apt-install.sh" chromium && find_browser; then
	exit 0
fi
cat >&2 <<'TEXT'
No Chromium was found, and none could be installed from here. Install one:
  Debian          sudo apt-get install chromium
  Ubuntu          Google Chrome's .deb package (the chromium package there is a snap, which cannot use temporary profiles)
  Fedora          sudo dnf install chromium
  macOS           brew install --cask chromium
or set CDPSUPERVISOR_CHROMIUM to the path of a Chrome, Chromium, Edge or Brave.
TEXT
exit 1
