// The four files are one function: what a window holds besides the language.
(function (host) {
'use strict';
const $ = host.op;
const table = new WeakMap(); // listeners by target
const handlers = new WeakMap(); // on* handlers of windows

class DOMException extends Error {
  constructor(message = '', name = 'Error') {
    super(message);
    Object.defineProperty(this, 'name', { value: name, configurable: true });
  }
  get code() { return { NetworkError: 19, SecurityError: 18, InvalidStateError: 11, AbortError: 20, DataCloneError: 25, SyntaxError: 12, NotFoundError: 8 }[this.name] || 0; }
}

class Event {
  constructor(type, init = {}) {
    this.type = String(type);
    this.bubbles = !!init.bubbles;
    this.cancelable = init.cancelable !== false;
    this.defaultPrevented = false;
    this.target = this.currentTarget = this.srcElement = null;
    this.isTrusted = false;
    this.timeStamp = 0;
    if (type === 'beforeunload') this.returnValue = '';
  }
  preventDefault() { if (this.cancelable) this.defaultPrevented = true; }
  stopPropagation() { this.stopped = true; }
  stopImmediatePropagation() { this.stopped = this.halted = true; }
}
class UIEvent extends Event {}
class MouseEvent extends UIEvent { constructor(t, i = {}) { super(t, i); this.clientX = i.clientX || 0; this.clientY = i.clientY || 0; this.button = i.button || 0; } }
class KeyboardEvent extends UIEvent { constructor(t, i = {}) { super(t, i); this.key = i.key || ''; this.code = i.code || ''; } }
class CustomEvent extends Event { constructor(t, i = {}) { super(t, i); this.detail = i.detail === undefined ? null : i.detail; } }
class MessageEvent extends Event { constructor(t, i = {}) { super(t, i); this.data = i.data; this.origin = i.origin || ''; this.source = i.source || null; } }
class ErrorEvent extends Event { constructor(t, i = {}) { super(t, i); this.message = i.message || ''; this.error = i.error; } }

function listen(target, type, fn, options) {
  if (fn === null || fn === undefined) return;
  type = String(type);
  let all = table.get(target);
  if (!all) table.set(target, all = new Map());
  let list = all.get(type);
  if (!list) all.set(type, list = []);
  if (list.some(l => l.fn === fn)) return;
  list.push({ fn, once: !!(options && options.once) });
  if (target === globalThis || target === document) $('listens', null, type, 1);
}
function unlisten(target, type, fn) {
  const list = table.get(target) && table.get(target).get(String(type));
  if (!list) return;
  const i = list.findIndex(l => l.fn === fn);
  if (i < 0) return;
  list.splice(i, 1);
  if (target === globalThis || target === document) $('listens', null, String(type), -1);
}
function handlerOf(target, type) {
  if (target === globalThis) return (handlers.get(globalThis) || {})[type];
  const own = target['on' + type];
  if (typeof own === 'function') return own;
  return $('handler', target, type);
}
function call(target, event) {
  event.currentTarget = target;
  const list = (table.get(target) && table.get(target).get(event.type) || []).slice();
  for (const l of list) {
    if (l.once) unlisten(target, event.type, l.fn);
    host.guard(() => typeof l.fn === 'function' ? l.fn.call(target, event) : l.fn.handleEvent(event));
    if (event.halted) return;
  }
  const h = handlerOf(target, event.type);
  if (typeof h === 'function') {
    host.guard(() => {
      const r = h.call(target, event);
      if (event.type === 'beforeunload') { if (r !== undefined && r !== null) event.returnValue = String(r); }
      else if (r === false) event.preventDefault();
    });
  }
}
// dispatch reports whether the default action may go on.
function dispatch(target, event) {
  event.target = event.srcElement = target;
  const path = [target];
  if (event.bubbles && target !== globalThis) {
    for (let n = target.parentNode; n; n = n.parentNode) path.push(n);
    path.push(globalThis);
  } else if (target === document) {
    if (event.bubbles) path.push(globalThis);
  }
  for (const t of path) {
    call(t, event);
    if (event.stopped) break;
  }
  event.currentTarget = null;
  return !event.defaultPrevented;
}

class EventTarget {
  addEventListener(type, fn, options) { listen(this, type, fn, options); }
  removeEventListener(type, fn) { unlisten(this, type, fn); }
  dispatchEvent(event) { return dispatch(this, event); }
}

