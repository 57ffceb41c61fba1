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

// fill replaces the children of an element.
export const fill = (el, ...children) => { el.replaceChildren(...children.flat(4).filter((c) => c || c === 0)); return el; };

let hide;
export function toast(text) {
	$('toast').textContent = text;
	clearTimeout(hide);
	hide = setTimeout(() => { $('toast').textContent = ''; }, 4000);
}

export async function copy(text, what) {
	try { await navigator.clipboard.writeText(text); } catch (e) { return toast(e.message); }
	toast('Copied ' + what + '.');
}

export function size(n) {
	if (n < 1000) return n + ' B';
	return n < 1e6 ? (n / 1024).toFixed(1) + ' KB' : (n / 1048576).toFixed(1) + ' MB';
}

export function time(ms) {
	if (ms < 1) return ms.toFixed(2) + ' ms';
	if (ms < 1000) return ms.toFixed(ms < 10 ? 1 : 0) + ' ms';
	return (ms / 1000).toFixed(1) + ' s';
}

const format = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 });
export const clock = (ms) => format.format(ms);

// button makes a button that belongs to no form.
export const button = (kind, text, onclick, props) => h('button' + kind, { type: 'button', onclick, ...props }, text);

export const quiet = (...text) => h('span.quiet', text);
