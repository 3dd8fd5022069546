// The window itself.
class Location {
  get href() { return $('location', null, 'href'); } set href(v) { $('go', null, String(v), false); }
  get origin() { return $('location', null, 'origin'); }
  get protocol() { return $('location', null, 'protocol'); }
  get host() { return $('location', null, 'host'); }
  get hostname() { return $('location', null, 'hostname'); }
  get port() { return $('location', null, 'port'); }
  get pathname() { return $('location', null, 'pathname'); }
  get search() { return $('location', null, 'search'); } set search(v) { $('go', null, String(v), false); }
  get hash() { return $('location', null, 'hash'); } set hash(v) { $('go', null, '#' + String(v).replace(/^#/, ''), false); }
  assign(v) { $('go', null, String(v), false); }
  replace(v) { $('go', null, String(v), true); }
  reload() { $('reload', null); }
  toString() { return this.href; }
}
class History {
  get length() { return $('history', null, 'length'); }
  get state() { return $('history', null, 'state'); }
  back() { $('history', null, 'go', -1); }
  forward() { $('history', null, 'go', 1); }
  go(n) { $('history', null, 'go', Number(n) || 0); }
  pushState(s, t, u) { $('pushState', null, s, u === undefined || u === null ? '' : String(u), false); }
  replaceState(s, t, u) { $('pushState', null, s, u === undefined || u === null ? '' : String(u), true); }
}
class UserActivation { get hasBeenActive() { return $('activation', null, 'been'); } get isActive() { return $('activation', null, 'is'); } }
class Navigator { get userAgent() { return host.userAgent; } get webdriver() { return true; } get language() { return 'en-US'; } get languages() { return ['en-US']; } get platform() { return 'Linux x86_64'; } get onLine() { return true; } get userActivation() { return activation; } }
const activation = new UserActivation();
class Performance { now() { return $('now', null); } getEntriesByType() { return []; } getEntries() { return []; } get timeOrigin() { return $('timeOrigin', null); } mark() {} measure() {} }
const performance = new Performance();
class Crypto {
  getRandomValues(into) { for (let i = 0; i < into.length; i++) into[i] = $('random', null); return into; }
  randomUUID() { return $('uuid', null); }
}
class Window extends EventTarget {}
Object.defineProperty(Window.prototype, Symbol.toStringTag, { value: 'Window' });
class CSSStyleDeclaration { getPropertyValue(k) { return this[k] || ''; } }

const define = (o, k, v) => Object.defineProperty(o, k, { value: v, writable: true, configurable: true, enumerable: false });
for (const c of [EventTarget, Event, UIEvent, MouseEvent, KeyboardEvent, CustomEvent, MessageEvent, ErrorEvent, DOMException, Node, Text, DocumentFragment, Element, HTMLElement, Document, HTMLDocument, XMLHttpRequest, Headers, Response, Storage, Blob, URL, URLSearchParams, MutationObserver, PerformanceObserver, ResizeObserver, IntersectionObserver, Location, History, Navigator, Crypto, Window])
  define(globalThis, c.name, c);
const locationObject = new Location(), historyObject = new History();
const accessor = (k, get, set) => Object.defineProperty(globalThis, k, { get, set, configurable: true, enumerable: true });
accessor('window', () => globalThis);
accessor('self', () => globalThis, v => define(globalThis, 'self', v));
accessor('frames', () => globalThis, v => define(globalThis, 'frames', v));
accessor('location', () => locationObject, v => $('go', null, String(v), false));
accessor('parent', () => $('window', null, 'parent'), v => define(globalThis, 'parent', v));
accessor('top', () => $('window', null, 'top'));
accessor('opener', () => $('window', null, 'opener'), v => define(globalThis, 'opener', v));
accessor('length', () => $('window', null, 'length'), v => define(globalThis, 'length', v));
accessor('closed', () => $('window', null, 'closed'));
accessor('name', () => $('window', null, 'name'), v => $('window', null, 'setName', String(v)));
accessor('frameElement', () => $('window', null, 'frameElement'));
accessor('origin', () => $('location', null, 'origin'), v => define(globalThis, 'origin', v));
accessor('event', () => undefined, v => define(globalThis, 'event', v));
Object.setPrototypeOf(host.document, HTMLDocument.prototype);
define(globalThis, 'document', host.document);
define(globalThis, 'history', historyObject);
define(globalThis, 'navigator', new Navigator());
define(globalThis, 'performance', performance);
define(globalThis, 'localStorage', new Storage('local'));
define(globalThis, 'sessionStorage', new Storage('session'));
define(globalThis, 'screen', { width: 800, height: 600, availWidth: 800, availHeight: 600 });
define(globalThis, 'innerWidth', 780); define(globalThis, 'innerHeight', 493); define(globalThis, 'devicePixelRatio', 1);
define(globalThis, 'isSecureContext', $('location', null, 'protocol') === 'https:');
define(globalThis, 'fetch', fetch);
define(globalThis, 'crypto', new Crypto());
define(globalThis, 'addEventListener', function addEventListener(t, f, o) { listen(this === undefined ? globalThis : this, t, f, o); });
define(globalThis, 'removeEventListener', function removeEventListener(t, f) { unlisten(this === undefined ? globalThis : this, t, f); });
define(globalThis, 'dispatchEvent', function dispatchEvent(e) { return dispatch(this === undefined ? globalThis : this, e); });
define(globalThis, 'structuredClone', v => v === undefined ? v : JSON.parse(JSON.stringify(v)));
define(globalThis, 'getComputedStyle', el => new Proxy(new CSSStyleDeclaration(), { get(t, k) { return typeof k === 'string' && !(k in t) ? $('style', el, k) : t[k]; } }));
define(globalThis, 'matchMedia', q => ({ matches: false, media: q, addEventListener() {}, removeEventListener() {}, addListener() {} }));
define(globalThis, 'requestAnimationFrame', f => setTimeout(() => f(performance.now()), 16));
define(globalThis, 'cancelAnimationFrame', id => clearTimeout(id));
define(globalThis, 'queueMicrotask', f => { Promise.resolve().then(f); });
define(globalThis, 'getSelection', () => ({ toString() { return ''; }, rangeCount: 0, removeAllRanges() {} }));
for (const f of ['focus', 'blur', 'print', 'stop', 'scrollTo', 'scrollBy', 'scroll', 'moveTo', 'resizeTo']) define(globalThis, f, { [f]() {} }[f]);
for (const t of ['beforeunload', 'unload', 'load', 'message', 'error', 'hashchange', 'popstate', 'pagehide', 'pageshow', 'click', 'unhandledrejection', 'focus', 'blur', 'resize', 'storage']) {
  accessor('on' + t, () => (handlers.get(globalThis) || {})[t] || null, v => {
    let h = handlers.get(globalThis);
    if (!h) handlers.set(globalThis, h = {});
    const was = typeof h[t] === 'function', is = typeof v === 'function';
    h[t] = is ? v : null;
    if (was !== is) $('listens', null, t, is ? 1 : -1);
  });
}
Object.setPrototypeOf(Window.prototype, host.named);
Object.setPrototypeOf(globalThis, Window.prototype);

return {
  fire(target, type, init) { // reports what beforeunload needs to know
    const kinds = { message: MessageEvent, click: MouseEvent, mousedown: MouseEvent, mouseup: MouseEvent, keydown: KeyboardEvent, keyup: KeyboardEvent, error: ErrorEvent };
    const e = new (kinds[type] || Event)(type, Object.assign({ bubbles: !['load', 'beforeunload', 'pagehide', 'unload', 'message', 'error', 'pageshow', 'popstate', 'hashchange'].includes(type) }, init || {}));
    e.isTrusted = true;
    const go = dispatch(target, e);
    if (type === 'beforeunload') return e.defaultPrevented || !!e.returnValue;
    return go;
  },
  proto(tag) { return (classes[tag] || HTMLElement).prototype; },
  protos: { document: HTMLDocument.prototype, text: Text.prototype, fragment: DocumentFragment.prototype },
  exception(name, message) { return new DOMException(message, name); },
  stringify(v) { return JSON.stringify(v); },
  xhrDone: host.xhrDone,
  xhrShow: host.xhrShow,
};
})
