// What the dialog bridge runs at the start of every document, before any script
// of the page. It is an expression: the engine appends one argument and calls
// it. PROTOCOL.md tells what the two sides say to each other.
//
// It is a guest in a hostile house. Everything that it uses later is captured
// first, everything that it hands to the engine has no prototype, and nothing
// of it can be reached from the page but the three functions themselves.
(function (config) {
	"use strict";
	const page = globalThis;

	// A synchronous request from a page of the browser's own kills its renderer.
	const scheme = page.location ? page.location.protocol : "";
	switch (scheme) {
	case "http:": case "https:": case "about:": case "blob:": case "data:": case "file:":
		break;
	default:
		return;
	}

	const { apply, construct, defineProperty, get, getOwnPropertyDescriptor } = Reflect;
	const { parse, stringify } = JSON;
	const { hasOwnProperty } = Object.prototype;
	const { toString } = Function.prototype;
	const { slice } = String.prototype;
	const Request = page.XMLHttpRequest;
	const { open, send } = Request.prototype;
	const readStatus = getOwnPropertyDescriptor(Request.prototype, "status").get;
	const readText = getOwnPropertyDescriptor(Request.prototype, "responseText").get;

	// A document names itself, so that the engine can bind it to its frame.
	const words = page.crypto.getRandomValues(new Uint32Array(4));
	const documentID = `${words[0]}-${words[1]}-${words[2]}-${words[3]}`;

	let over = false; // the natives are back
	let leaving = false; // the document is being left: native dialogs are ignored
	// Whether dialogs may be shown here: "yes", "no", or "unknown" in a sandbox.
	let allowed = sandboxed() ? "unknown" : "yes";
	page.addEventListener("pagehide", () => { leaving = true; }, true);
	page.addEventListener("pageshow", () => { leaving = false; }, true);

	// The conversions of the Web IDL signatures; like the natives', they may throw.
	const alert = override("alert", (args) => args.length === 0 ? [] : [`${args[0]}`], () => undefined);
	const confirm = override("confirm", (args) => [optional(args[0])], (answer) => answer.accept);
	const prompt = override("prompt", (args) => [optional(args[0]), optional(args[1])],
		(answer) => answer.accept ? answer.text : null);

	function optional(value) {
		return value === undefined ? "" : `${value}`;
	}

	// override puts a function in the place of a native one. A Proxy of the
	// native keeps its name, its length, and "[native code]". In a document that
	// lives already, what the page put there itself stays.
	function override(name, convert, result) {
		const found = page[name];
		if (typeof found !== "function") {
			return undefined;
		}
		// An override of ours, left by an earlier connection, gives its native.
		const native = found[config.mark] || found;
		if (apply(toString, native, []) !== `function ${name}() { [native code] }`) {
			return undefined;
		}
		const ours = new Proxy(native, {
			__proto__: null,
			get(target, key) {
				return key === config.mark ? target : get(target, key);
			},
			apply(target, self, args) {
				if (args.length === 1 && args[0] === config.secret) {
					return putBack();
				}
				const foreign = self !== undefined && self !== null && self !== page;
				if (over || leaving || foreign || allowed === "no") {
					return apply(target, self, args);
				}
				const texts = convert(args);
				const native = () => apply(target, self, texts);
				const answer = allowed === "yes" ? ask(name, texts, "") : tryFirst(name, texts, native);
				if (answer === undefined) {
					return native(); // whatever kept us from an answer: never lose a dialog
				}
				return answer.native === true ? answer.returned : result(answer);
			},
		});
		place(name, ours);
		return { __proto__: null, native, ours };
	}

	function place(name, value) {
		const { writable, enumerable, configurable } = getOwnPropertyDescriptor(page, name);
		defineProperty(page, name, { __proto__: null, value, writable, enumerable, configurable });
	}

	// putBack ends the bridge in this document. References that the page kept
	// call the natives from now on.
	function putBack() {
		over = true;
		restore("alert", alert);
		restore("confirm", confirm);
		restore("prompt", prompt);
	}

	function restore(name, entry) {
		if (entry !== undefined && page[name] === entry.ours) {
			place(name, entry.native);
		}
	}

	// tryFirst asks in a sandbox. Whether it allows dialogs nobody can read, but
	// the browser shows a native one only where it does. So one is tried, after
	// the engine has been told: the engine closes it at once and holds the real
	// question, or says that nothing showed, and what the native returned stands.
	function tryFirst(type, texts, native) {
		if (ask(type, texts, "before") === undefined) {
			return undefined;
		}
		const returned = native();
		const answer = ask(type, texts, "after");
		if (answer === undefined) {
			return undefined;
		}
		if (answer.native !== true) {
			allowed = "yes";
			return answer;
		}
		// In beforeunload nothing shows either, and that says nothing of the
		// sandbox. A request cannot be made there, so it was not there.
		if (config.transport !== "debugger") {
			allowed = "no";
		}
		return { __proto__: null, native: true, returned };
	}

	// ask returns the engine's answer, or undefined when there is none. trial
	// says where it stands to the try of a native: "", "before" or "after" it.
	function ask(type, texts, trial) {
		const message = cut(texts.length > 0 ? texts[0] : "");
		const byDefault = cut(texts.length > 1 ? texts[1] : "");
		const question = stringify({
			__proto__: null,
			secret: config.secret,
			document: documentID,
			type,
			trial,
			message,
			default: byDefault,
			url: cut(page.location.href),
			truncated: texts.length > 0 && message !== texts[0] || texts.length > 1 && byDefault !== texts[1],
		});
		try {
			return decode(config.transport === "debugger" ? askDebugger(question) : askRequest(question));
		} catch {
			return undefined; // refused by a policy of the page, or not intercepted
		}
	}

	function askRequest(question) {
		const request = construct(Request, []);
		apply(open, request, ["POST", config.url, false]);
		apply(send, request, [question]);
		return apply(readStatus, request, []) === 200 ? apply(readText, request, []) : undefined;
	}

	// The engine reads question and sets answer while the statement holds us.
	function askDebugger(question) {
		let answer;
		debugger;
		return question && answer;
	}

	function decode(text) {
		const answer = typeof text === "string" ? parse(text) : undefined;
		const has = (key, type) => apply(hasOwnProperty, answer, [key]) && typeof answer[key] === type;
		if (!answer || !has("accept", "boolean") || !has("text", "string")) {
			return undefined;
		}
		return { __proto__: null, accept: answer.accept, text: answer.text, native: has("native", "boolean") && answer.native };
	}

	function cut(text) {
		return text.length > config.limit ? apply(slice, text, [0, config.limit]) : text;
	}

	// sandboxed reports whether the document is in a sandbox. Its flags cannot be
	// read: an attribute of the frame's element may have changed since, the parent
	// may be foreign, a CSP has none. But a sandbox refuses a document.domain, in
	// words of its own; the empty one is refused everywhere, so nothing is set.
	function sandboxed() {
		const domain = getOwnPropertyDescriptor(page.Document.prototype, "domain");
		try {
			apply(domain.set, page.document, [""]);
			return false;
		} catch (refusal) {
			return /sandbox/i.test(refusal.message);
		}
	}
})
