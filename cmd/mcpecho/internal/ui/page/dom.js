// h makes an element with classes, such as h('p.quiet', 'text'). Text from a server becomes text nodes only, never HTML.
export function h(tag, props, ...children) {
	const [name, ...classes] = tag.split('.');
	const el = document.createElement(name);
	if (classes.length) el.className = classes.join(' ');
	if (!props || Object.getPrototypeOf(props) !== Object.prototype) children.unshift(props);
	else for (const [key, value] of Object.entries(props)) {
		if (value === undefined || value === null || value === false) continue;
		if (key.startsWith('on')) el.addEventListener(key.slice(2), value);
		else if (/^(value|checked|hidden)$/.test(key)) el[key] = value;
		else el.setAttribute(key, value === true ? '' : value);
	}
	return fill(el, children);
}

export const $ = (id) => document.getElementById(id);
export const say = (id, text) => { if ($(id)) $(id).textContent = text; };
export const all = (selector, el = document) => [...el.querySelectorAll(selector)];
export const inputs = ':is(input,textarea,select)';
export const on = (id, event, f) => $(id).addEventListener(event, f);

// esc shows the invisible and reordering characters of a name as escapes, as on terminals.
// Joiners and variation selectors stay within emoji and words of the scripts that need them.
const hidden = /[\0-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]|(?<![\u0620-\u0dff\u1780-\u18af\p{Extended_Pictographic}\ufe0f\u{1f3fb}-\u{1f3ff}])[\u200c\u200d]|[\u200c\u200d](?![\u0620-\u0dff\u1780-\u18af\p{Extended_Pictographic}])|(?<!\p{Extended_Pictographic})[\ufe0e\ufe0f](?!\u20e3)/gu;
export const esc = (s, most = 500) => cut(String(s ?? ''), most).replace(hidden, (c) => c.split('').map((u) => '\\u' + u.charCodeAt().toString(16).padStart(4, '0')).join(''));
export const cut = (s, most) => s?.length > most ? s.slice(0, most) + '…' : s;

// own reads a member, whatever its name is.
export const own = (o, key) => o && Object.hasOwn(o, key) ? o[key] : undefined;

// some shows a list in parts.
export function some(list, most, make) {
	const part = (from) => {
		const made = list.slice(from, from + most).map((v, i) => make(v, from + i));
		const left = list.length - from - most;
		if (left > 0) made.push(button('.plain', left + ' more', (e) => e.target.replaceWith(...part(from + most).flat(4).filter(Boolean))));
		return made;
	};
	return part(0);
}

// long shows a text in parts: a browser stands still on one of many megabytes.
export function long(s, kind = 'pre.text', most = 50000) {
	s = String(s ?? '');
	const el = h(kind, kind === 'pre.text' && { tabindex: 0 }, s.slice(0, most));
	if (s.length <= most) return el;
	let at = most;
	const label = () => 'Show more (' + size(s.length - at) + ' left)';
	const more = button('.plain', label(), () => {
		el.append(s.slice(at, at += most));
		if (at < s.length) more.textContent = label();
		else more.remove();
	});
	return [el, more];
}

// fill replaces the children of an element.
export const fill = (el, ...children) => { el.replaceChildren(...children.flat(4).filter((c) => c || c === 0)); return el; };

let hide;
export function toast(text) {
	$('toast').textContent = text;
	clearTimeout(hide);
	hide = setTimeout(() => { $('toast').textContent = ''; }, 3000 + 60 * text.length);
}

export const failed = (e) => toast(e.message);
export const copy = (text, what) => navigator.clipboard.writeText(text).then(() => toast('Copied ' + what + '.'), failed);

export function size(n) {
	if (n < 1000) return n + ' B';
	return n < 1e6 ? (n / 1024).toFixed(1) + ' KB' : (n / 1048576).toFixed(1) + ' MB';
}

export function time(ms) {
	if (ms < 1) return ms.toFixed(2) + ' ms';
	if (ms < 1000) return ms.toFixed(ms < 10 ? 1 : 0) + ' ms';
	return (ms / 1000).toFixed(1) + ' s';
}

export const clock = (ms) => new Date(ms).toTimeString().slice(0, 8) + '.' + String(Math.floor(ms % 1000)).padStart(3, '0');

// button makes a button that belongs to no form.
export const button = (kind, text, onclick, props) => h('button' + kind, { type: 'button', onclick, ...props }, text);

// tabs makes a list of tabs, of which the arrow keys choose one, and shows the chosen one.
export function tabs(label, list, chosen, controls, show) {
	const pick = (el) => {
		for (const tab of made) {
			tab.setAttribute('aria-selected', tab === el);
			tab.tabIndex = tab === el ? 0 : -1;
		}
	};
	const made = Object.entries(list).map(([id, text]) => button('', text, (e) => { pick(e.target); show(id); }, { role: 'tab', id: 'tab-' + id, 'aria-controls': controls(id) }));
	pick(made[Object.keys(list).indexOf(chosen)]);
	return h('div.bar', { role: 'tablist', 'aria-label': label, onkeydown: (e) => {
		const to = made[(made.indexOf(e.target) + { ArrowRight: 1, ArrowLeft: made.length - 1 }[e.key]) % made.length];
		to?.click();
		to?.focus();
	} }, made);
}

export const tag = (kind, text = kind) => h('span', { class: 'tag ' + kind }, text);
export const quiet = (...text) => h('span.quiet', text);
