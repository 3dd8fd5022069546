// Requests, storage and URLs.
const requests = new WeakMap(); // what an XMLHttpRequest shows
class XMLHttpRequest extends EventTarget {
  constructor() { super(); requests.set(this, {}); this.timeout = 0; this.withCredentials = false; this.responseType = ''; $('private', this); }
  get readyState() { return requests.get(this).readyState || 0; }
  get status() { return requests.get(this).status || 0; }
  get statusText() { return requests.get(this).statusText || ''; }
  get responseText() { return requests.get(this).body || ''; }
  get response() { return requests.get(this).body || ''; }
  get responseURL() { return requests.get(this).url || ''; }
  open(method, url, async) { $('xhrOpen', this, String(method), String(url), async !== false); requests.set(this, { readyState: 1 }); }
  setRequestHeader(k, v) { $('xhrHeader', this, String(k), String(v)); }
  overrideMimeType() {}
  send(body) { $('xhrSend', this, body === undefined || body === null ? null : String(body)); }
  abort() {}
  getResponseHeader(k) { return $('xhrResponseHeader', this, String(k)); }
  getAllResponseHeaders() { return $('xhrResponseHeader', this, null); }
}
host.xhrShow = (x, r) => { requests.set(x, Object.assign({ readyState: 4 }, r)); };
host.xhrDone = (x, r) => {
  host.xhrShow(x, r);
  for (const t of ['readystatechange', r ? 'load' : 'error', 'loadend']) {
    const h = x['on' + t];
    const e = new Event(t); e.target = x;
    if (typeof h === 'function') host.guard(() => h.call(x, e));
    call(x, e);
  }
};
class Headers { constructor(h = {}) { this.h = h; } get(k) { for (const n in this.h) if (n.toLowerCase() === String(k).toLowerCase()) return this.h[n]; return null; } }
class Response {
  constructor(body, init) { this.body_ = body; Object.assign(this, init); }
  get ok() { return this.status >= 200 && this.status < 300; }
  text() { return Promise.resolve(this.body_); }
  json() { return Promise.resolve(this.body_).then(JSON.parse); }
}
function fetch(url, init = {}) {
  return new Promise((resolve, reject) => {
    $('fetch', null, String(init.method || 'GET'), String(url), init.body === undefined ? null : String(init.body), init.headers || {}, r => {
      if (!r) { reject(new TypeError('Failed to fetch')); return; }
      resolve(new Response(r.body, { status: r.status, statusText: r.statusText, url: r.url, headers: new Headers(r.headers) }));
    });
  });
}
class Storage {
  constructor(kind) { Object.defineProperty(this, 'kind', { value: kind }); }
  getItem(k) { return $('store', null, this.kind, 'get', String(k)); }
  setItem(k, v) { $('store', null, this.kind, 'set', String(k), String(v)); }
  removeItem(k) { $('store', null, this.kind, 'remove', String(k)); }
  clear() { $('store', null, this.kind, 'clear'); }
  get length() { return $('store', null, this.kind, 'length'); }
}
class Blob { constructor(parts = [], o = {}) { this.text_ = parts.map(String).join(''); this.type = o.type || ''; this.size = this.text_.length; } text() { return Promise.resolve(this.text_); } }
class MutationObserver { observe() {} disconnect() {} takeRecords() { return []; } }
class PerformanceObserver { observe() {} disconnect() {} }
class ResizeObserver { observe() {} unobserve() {} disconnect() {} }
class IntersectionObserver { observe() {} unobserve() {} disconnect() {} }
class URLSearchParams {
  constructor(s = '') { this.p = []; String(s).replace(/^\?/, '').split('&').filter(Boolean).forEach(kv => { const i = kv.indexOf('='); this.p.push([decodeURIComponent(i < 0 ? kv : kv.slice(0, i)), decodeURIComponent(i < 0 ? '' : kv.slice(i + 1))]); }); }
  get(k) { const e = this.p.find(e => e[0] === k); return e ? e[1] : null; }
  has(k) { return this.p.some(e => e[0] === k); }
  set(k, v) { this.p = this.p.filter(e => e[0] !== k); this.p.push([k, String(v)]); }
  append(k, v) { this.p.push([k, String(v)]); }
  toString() { return this.p.map(e => encodeURIComponent(e[0]) + '=' + encodeURIComponent(e[1])).join('&'); }
}
class URL {
  constructor(u, base) { const p = $('parseURL', null, String(u), base === undefined ? '' : String(base)); if (!p) throw new TypeError("Failed to construct 'URL': Invalid URL"); Object.assign(this, p); this.searchParams = new URLSearchParams(p.search); }
  toString() { return this.href; }
  toJSON() { return this.href; }
  static createObjectURL(b) { return $('blobURL', null, b.text_); }
  static revokeObjectURL() {}
}

