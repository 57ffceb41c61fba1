// h makes an element with classes, such as h('p.quiet', 'text'). Text from a server becomes text nodes only, never HTML.
export function h(tag, props, ...children) {
	const [name, ...classes] = tag.split('.');
	const el = document.createElement(name);
	if (classes.length) el.className = classes.join(' ');
	if (props?.constructor !== Object) children.unshift(props);
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

// fill replaces the children of an element.
export const fill = (el, ...children) => { el.replaceChildren(...children.flat(4).filter((c) => c || c === 0)); return el; };

let hide;
export function toast(text) {
	$('toast').textContent = text;
	clearTimeout(hide);
	hide = setTimeout(() => { $('toast').textContent = ''; }, 4000);
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
