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
	const getter = (of, name) => getOwnPropertyDescriptor(of, name).get;
	const readStatus = getter(Request.prototype, "status");
	const readText = getter(Request.prototype, "responseText");
	const { addEventListener, crypto, Uint32Array: Words } = page;
	const { getRandomValues } = crypto;
	const { includes } = String.prototype;
	const readDocument = getter(page, "document");
	const readType = getter(page.Event.prototype, "type");
	const readDetail = getter(page.CustomEvent.prototype, "detail");
	// A page may have put a value of its own in its place.
	const { get: readEvent } = getOwnPropertyDescriptor(page, "event") || {};
	const readView = getter(page.Document.prototype, "defaultView");
	const readMessage = getter(page.DOMException.prototype, "message");
	const { set: setDomain } = getOwnPropertyDescriptor(page.Document.prototype, "domain");

	let over = false; // the natives are back
	let current; // the document that the rest is about
	let documentID; // by which the engine binds it to its frame
	let leaving; // it is being left: native dialogs are ignored
	let allowed; // whether dialogs may be shown in it: "yes", "no", or "unknown" in a sandbox

	// What an earlier script of ours left, in functions that the page has kept or
	// wrapped, asks from now on as this one does.
	page.dispatchEvent(new page.CustomEvent(config.secret, { __proto__: null, detail: config.transport }));
	begin();

	// begin is for a document that is new here. One that follows an initial
	// about:blank of its origin, or that a javascript: URL wrote, has the window of
	// the one before, with our functions in it and our listeners gone.
	function begin() {
		current = page.document;
		const words = apply(getRandomValues, crypto, [new Words(4)]);
		documentID = `${words[0]}-${words[1]}-${words[2]}-${words[3]}`;
		leaving = false;
		allowed = sandboxed() ? "unknown" : "yes";
		listen();
	}

	// listen is for every question, since a document.open takes listeners away.
	function listen() {
		apply(addEventListener, page, ["pagehide", onPageHide, true]);
		apply(addEventListener, page, ["pageshow", onPageShow, true]);
		apply(addEventListener, page, [config.secret, onWord]);
	}

	// onWord hears whoever knows the secret: a later script of ours tells its
	// transport, and the one that ends the bridge tells none. It reaches us also
	// where the page has put functions of its own around ours.
	function onWord(event) {
		const transport = apply(readDetail, event, []);
		if (transport === null) {
			putBack();
		} else {
			config.transport = transport;
		}
	}

	// A page may send such events to itself.
	function onPageHide(event) { leaving = leaving || event.isTrusted; }
	function onPageShow(event) { leaving = leaving && !event.isTrusted; }

	// ends reports whether this runs in an event that ends the document.
	function ends() {
		const event = readEvent && apply(readEvent, page, []);
		const type = event && event.isTrusted ? apply(readType, event, []) : "";
		return type === "pagehide" || type === "unload";
	}

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
				if (over || !shows(self)) {
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

	// shows reports whether a native that is called on self would show a dialog:
	// on no window it throws, and on one that is gone it does nothing. A page may
	// use the functions of one window on another.
	function shows(self) {
		try {
			if (page.document !== current) {
				begin();
			}
			listen();
			return !leaving && !ends() && allowed !== "no" && (self === undefined || self === null || self === page ||
				apply(readView, apply(readDocument, self, []), []) !== null);
		} catch {
			return false; // no window, or one of another origin
		}
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
		try {
			apply(setDomain, page.document, [""]);
			return false;
		} catch (refusal) {
			return apply(includes, apply(readMessage, refusal, []), ["sandbox"]);
		}
	}
})
