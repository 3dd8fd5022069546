// The DOM, over natives that know the tree.
class Node extends EventTarget {
  get nodeType() { return $('nodeType', this); }
  get nodeName() { return $('nodeName', this); }
  get parentNode() { return $('parent', this); }
  get parentElement() { const p = $('parent', this); return p && p.nodeType === 1 ? p : null; }
  get childNodes() { return $('kids', this); }
  get firstChild() { return this.childNodes[0] || null; }
  get lastChild() { const k = this.childNodes; return k[k.length - 1] || null; }
  get nextSibling() { return $('sibling', this, 1); }
  get previousSibling() { return $('sibling', this, -1); }
  get ownerDocument() { return document; }
  get isConnected() { return $('connected', this); }
  get textContent() { return $('text', this); }
  set textContent(v) { $('setText', this, v === null ? '' : String(v)); }
  get nodeValue() { return this.nodeType === 3 ? $('text', this) : null; }
  get data() { return this.nodeType === 3 ? $('text', this) : undefined; }
  set data(v) { $('setText', this, String(v)); }
  appendChild(n) { return $('insert', this, n, null); }
  insertBefore(n, ref) { return $('insert', this, n, ref || null); }
  removeChild(n) { $('remove', n); return n; }
  replaceChild(n, old) { $('insert', this, n, old); $('remove', old); return old; }
  contains(n) { return $('contains', this, n); }
  hasChildNodes() { return this.childNodes.length > 0; }
  cloneNode(deep) { return $('clone', this, !!deep); }
  remove() { $('remove', this); }
}
function nodesOf(items) { return items.map(i => i instanceof Node ? i : document.createTextNode(String(i))); }
const parentMixin = {
  append(...items) { for (const n of nodesOf(items)) this.appendChild(n); },
  prepend(...items) { const first = this.firstChild; for (const n of nodesOf(items)) this.insertBefore(n, first); },
  replaceChildren(...items) { $('setText', this, ''); this.append(...items); },
  querySelector(s) { return $('query', this, String(s), false); },
  querySelectorAll(s) { return $('query', this, String(s), true); },
  getElementsByTagName(t) { return $('query', this, String(t), true); },
  getElementsByClassName(c) { return $('query', this, '.' + String(c).trim().split(/\s+/).join('.'), true); },
};
class Text extends Node {}
class DocumentFragment extends Node {}
class Element extends Node {
  get tagName() { return this.nodeName; }
  get localName() { return this.nodeName.toLowerCase(); }
  get children() { return this.childNodes.filter(n => n.nodeType === 1); }
  get childElementCount() { return this.children.length; }
  get firstElementChild() { return this.children[0] || null; }
  get lastElementChild() { const k = this.children; return k[k.length - 1] || null; }
  get innerHTML() { return $('html', this); }
  set innerHTML(v) { $('setHTML', this, String(v)); }
  get outerHTML() { return $('outer', this); }
  get innerText() { return $('text', this); }
  set innerText(v) { $('setText', this, String(v)); }
  get classList() {
    const el = this, all = () => el.className.split(/\s+/).filter(Boolean);
    return {
      add(...c) { el.className = [...new Set([...all(), ...c])].join(' '); },
      remove(...c) { el.className = all().filter(x => !c.includes(x)).join(' '); },
      contains(c) { return all().includes(c); },
      toggle(c) { if (all().includes(c)) { this.remove(c); return false; } this.add(c); return true; },
    };
  }
  getAttribute(n) { return $('attr', this, String(n)); }
  hasAttribute(n) { return $('attr', this, String(n)) !== null; }
  setAttribute(n, v) { $('setAttr', this, String(n), String(v)); }
  removeAttribute(n) { $('dropAttr', this, String(n)); }
  toggleAttribute(n) { if (this.hasAttribute(n)) { this.removeAttribute(n); return false; } this.setAttribute(n, ''); return true; }
  matches(s) { return $('matches', this, String(s)); }
  closest(s) { for (let n = this; n && n.nodeType === 1; n = n.parentNode) if (n.matches(s)) return n; return null; }
  insertAdjacentHTML(where, h) { $('adjacent', this, String(where), String(h)); }
  insertAdjacentElement(where, el) { if (where === 'beforeend') this.appendChild(el); else if (where === 'afterbegin') this.prepend(el); else if (where === 'beforebegin') this.parentNode.insertBefore(el, this); else this.parentNode.insertBefore(el, this.nextSibling); return el; }
  before(...items) { for (const n of nodesOf(items)) this.parentNode.insertBefore(n, this); }
  after(...items) { const next = this.nextSibling; for (const n of nodesOf(items)) this.parentNode.insertBefore(n, next); }
  replaceWith(...items) { this.before(...items); this.remove(); }
  getBoundingClientRect() { return $('rect', this); }
  getClientRects() { return [$('rect', this)]; }
  scrollIntoView() {}
  get offsetWidth() { return $('rect', this).width; }
  get offsetHeight() { return $('rect', this).height; }
}
class HTMLElement extends Element {
  get style() {
    const el = this;
    return new Proxy({}, {
      get(_, k) { return typeof k === 'string' ? $('style', el, k) : undefined; },
      set(_, k, v) { $('setStyle', el, k, String(v)); return true; },
    });
  }
  set style(v) { this.setAttribute('style', v); }
  get dataset() {
    const el = this, name = k => 'data-' + String(k).replace(/[A-Z]/g, c => '-' + c.toLowerCase());
    return new Proxy({}, {
      get(_, k) { return typeof k === 'string' ? (el.getAttribute(name(k)) === null ? undefined : el.getAttribute(name(k))) : undefined; },
      set(_, k, v) { el.setAttribute(name(k), v); return true; },
    });
  }
  get hidden() { return this.hasAttribute('hidden'); }
  set hidden(v) { if (v) this.setAttribute('hidden', ''); else this.removeAttribute('hidden'); }
  get disabled() { return this.hasAttribute('disabled'); }
  set disabled(v) { if (v) this.setAttribute('disabled', ''); else this.removeAttribute('disabled'); }
  click() { $('click', this); }
  focus() { $('focus', this); }
  blur() { $('blur', this); }
}
for (const a of ['id', 'title', 'name', 'lang', 'dir', 'type', 'rel', 'target', 'alt', 'placeholder', 'action', 'method', 'width', 'height', 'sandbox', 'srcdoc', 'content', 'allow']) {
  Object.defineProperty(HTMLElement.prototype, a, { configurable: true, enumerable: true,
    get() { const v = this.getAttribute(a); return v === null ? '' : v; }, set(v) { this.setAttribute(a, v); } });
}
Object.defineProperty(HTMLElement.prototype, 'className', { configurable: true, get() { return this.getAttribute('class') || ''; }, set(v) { this.setAttribute('class', v); } });
for (const a of ['src', 'href', 'data']) {
  Object.defineProperty(HTMLElement.prototype, a, { configurable: true, get() { return $('url', this, a); }, set(v) { this.setAttribute(a, v); } });
}
class HTMLIFrameElement extends HTMLElement {
  get contentWindow() { return $('contentWindow', this); }
  get contentDocument() { return $('contentDocument', this); }
}
class HTMLInputElement extends HTMLElement {
  get value() { return $('value', this); }
  set value(v) { $('setValue', this, String(v)); }
  get checked() { return $('checked', this); }
  set checked(v) { $('setChecked', this, !!v); }
  select() {}
}
class HTMLFormElement extends HTMLElement { submit() { $('submit', this); } requestSubmit() { if (dispatch(this, new Event('submit', { bubbles: true }))) $('submit', this); } reset() {} }
class HTMLDialogElement extends HTMLElement {
  get open() { return this.hasAttribute('open'); }
  show() { this.setAttribute('open', ''); }
  showModal() { this.setAttribute('open', ''); }
  close() { this.removeAttribute('open'); }
}
const classes = {};
for (const [tag, name] of Object.entries({ a: 'Anchor', body: 'Body', button: 'Button', div: 'Div', form: 'Form', h1: 'Heading', h2: 'Heading', h3: 'Heading', head: 'Head', html: 'Html', iframe: 'IFrame', img: 'Image', input: 'Input', textarea: 'TextArea', select: 'Select', option: 'Option', li: 'LI', link: 'Link', meta: 'Meta', ol: 'OList', p: 'Paragraph', script: 'Script', span: 'Span', style: 'Style', table: 'Table', title: 'Title', ul: 'UList', dialog: 'Dialog', object: 'Object', embed: 'Embed', label: 'Label' })) {
  const full = 'HTML' + name + 'Element';
  const base = { IFrame: HTMLIFrameElement, Input: HTMLInputElement, Form: HTMLFormElement, Dialog: HTMLDialogElement }[name];
  if (base) { classes[tag] = base; globalThis[full] = base; continue; }
  const parent = { TextArea: HTMLInputElement, Select: HTMLInputElement, Option: HTMLInputElement, Button: HTMLInputElement, Object: HTMLIFrameElement, Embed: HTMLIFrameElement }[name] || HTMLElement;
  classes[tag] = globalThis[full] || ({ [full]: class extends parent {} })[full];
  Object.defineProperty(classes[tag], 'name', { value: full });
  globalThis[full] = classes[tag];
}
class Document extends Node {
  get documentElement() { return $('root', this, 'html'); }
  get head() { return $('root', this, 'head'); }
  get body() { return $('root', this, 'body'); }
  get title() { return $('title', null); }
  set title(v) { $('setTitle', null, String(v)); }
  get URL() { return location.href; }
  get documentURI() { return location.href; }
  get location() { return globalThis.location; }
  set location(v) { globalThis.location = v; }
  get readyState() { return $('readyState', null); }
  get defaultView() { return globalThis; }
  get domain() { return $('domain', null); }
  set domain(v) { $('setDomain', null, String(v)); }
  get referrer() { return ''; }
  get cookie() { return ''; }
  set cookie(v) {}
  get hidden() { return $('hidden', null); }
  get visibilityState() { return $('hidden', null) ? 'hidden' : 'visible'; }
  get activeElement() { return $('active', null) || this.body; }
  get scripts() { return this.querySelectorAll('script'); }
  get forms() { return this.querySelectorAll('form'); }
  get links() { return this.querySelectorAll('a'); }
  get currentScript() { return $('currentScript', null); }
  hasFocus() { return true; }
  getElementById(id) { return $('byId', null, String(id)); }
  getElementsByName(n) { return this.querySelectorAll('[name="' + n + '"]'); }
  createElement(t) { return $('create', null, String(t)); }
  createTextNode(t) { return $('createText', null, String(t)); }
  createDocumentFragment() { return $('createFragment', null); }
  createEvent() { return new Event(''); }
  write(h) { $('write', null, String(h)); }
  open() { $('reopen', null); return this; }
  close() {}
}
class HTMLDocument extends Document {}
Object.assign(Document.prototype, parentMixin);
Object.assign(Element.prototype, parentMixin);
Object.assign(DocumentFragment.prototype, parentMixin);
Object.defineProperty(Document.prototype, 'children', { get() { return [this.documentElement]; } });

