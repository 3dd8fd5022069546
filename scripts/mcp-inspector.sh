#!/usr/bin/env bash
# Lets the MCP Inspector, which is not ours, list the engine's tools and call
# each of them, with a real Chromium behind. Usage: mcp-inspector.sh [ENGINE]
set -euo pipefail
scripts="$(cd "$(dirname "$0")" && pwd)"
engine="$(realpath "${1:-$scripts/../bin/engine}")"
version=0.13.0 # the newest whose command line runs on the Node.js of Debian stable
home="$scripts/../bin/mcp-inspector-$version"

node="$("$scripts/ensure-node.sh")"
CDPSUPERVISOR_CHROMIUM="$("$scripts/ensure-chromium.sh")"
export CDPSUPERVISOR_CHROMIUM
cli="$home/node_modules/@modelcontextprotocol/inspector-cli/build/cli.js"
if [ ! -f "$cli" ]; then
	mkdir -p "$home"
	npm install --prefix "$home" --no-save --no-audit --no-fund --ignore-scripts --silent "@modelcontextprotocol/inspector-cli@$version"
fi

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
cat >"$work/config.json" <<JSON
{"mcpServers":{"browser":{"command":"$engine","args":["mcp","--launch","--headless","--isolated"],
  "env":{"CDPSUPERVISOR_CHROMIUM":"$CDPSUPERVISOR_CHROMIUM"}}}}
JSON

inspect() { (cd "$work" && "$node" "$cli" --cli --config config.json --server browser "$@"); }

# must NAME EXPRESSION ARGUMENTS… : the answer, as r, must fulfil the expression.
must() {
	local name="$1" expression="$2"
	shift 2
	if ! inspect "$@" >"$work/answer.json" 2>"$work/errors"; then
		echo "inspector: $name failed:" >&2
		cat "$work/errors" "$work/answer.json" >&2
		exit 1
	fi
	if ! "$node" -e '
		const r = JSON.parse(require("fs").readFileSync(process.argv[1], "utf8")), c = r.structuredContent
		if (!eval(process.argv[2])) { console.error(JSON.stringify(r, null, 1)); process.exit(1) }
	' "$work/answer.json" "$expression"; then
		echo "inspector: $name: not true: $expression" >&2
		exit 1
	fi
	echo "inspector: $name ok"
}

call() { # call NAME EXPRESSION [KEY=VALUE…]
	local name="$1" expression="$2" arguments=()
	shift 2
	for pair in "$@"; do arguments+=(--tool-arg "$pair"); done
	must "$name" "JSON.stringify(c) === JSON.stringify(JSON.parse(r.content[0].text)) && c.success === !r.isError && ($expression)" \
		--method tools/call --tool-name "$name" "${arguments[@]}"
}

must tools/list 'r.tools.length === 6 && r.tools.every(t => t.inputSchema.type === "object" && t.annotations.title &&
	["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"].every(h => typeof t.annotations[h] === "boolean"))' --method tools/list
call browser_navigate 'c.success && c.page_target_id' 'url=data:text/html,<title>Inspector</title><button>Go</button>'
call browser_snapshot 'c.success && c.pending_dialogs.length === 0 && typeof c.snapshot === "string"'
call browser_cdp 'c.success && c.result.product' method=Browser.getVersion timeout=20
call browser_cdp 'c.code === "invalid_argument"' method=Browser.getVersion timeout=301
call browser_dialog 'c.code === "no_dialog"' action=accept
call browser_connect 'c.code === "no_cdp"' cdp_url=127.0.0.1:1
call browser_disconnect 'c.success || c.code === "no_supervisor"'
