// JSON that keeps the digits of every number.
import { h, quiet, some, esc, cut } from './dom.js';

export class Num {
	constructor(source) { this.source = source; }
}

export const parse = (text) => JSON.parse(text, (_, v, context) =>
	typeof v === 'number' && context && String(v) !== context.source ? new Num(context.source) : v);

export const print = (value, indent = 2) => JSON.stringify(value, (_, v) =>
	v instanceof Num ? (JSON.rawJSON ? JSON.rawJSON(v.source) : Number(v.source)) : v, indent);

// pretty returns a text with indented JSON, or the text if it is not JSON.
export function pretty(text) {
	try { return print(parse(text)); } catch { return text; }
}

export const isObject = (v) => v !== null && typeof v === 'object' && !Array.isArray(v) && !(v instanceof Num);

// put sets a member, whatever its name is.
export const put = (o, key, value) =>
	Object.defineProperty(o, key, { value, enumerable: true, configurable: true, writable: true });

const most = 500; // children that are shown at first

// tree shows a value. Large parts are closed, and made when they are opened.
export function tree(value, key, depth = 0) {
	const name = key === undefined ? null : h('span.k', esc(key) + ': ');
	if (value === null || typeof value !== 'object' || value instanceof Num) {
		const text = value instanceof Num ? value.source : JSON.stringify(value);
		return h('div.leaf', name, h('span', { class: 'v ' + (value instanceof Num ? 'number' : value === null ? 'null' : typeof value) }, cut(text, 20000)));
	}
	const list = Array.isArray(value);
	const keys = Object.keys(value);
	const label = (list ? '[' : '{') + keys.length + (list ? ']' : '}');
	if (keys.length === 0) return h('div.leaf', name, quiet(list ? '[]' : '{}'));
	const children = h('div.children');
	const show = () => children.append(...some(keys, most, (k) => tree(value[k], k, depth + 1)));
	const el = h('details', { open: depth < 2 && keys.length <= 50 }, h('summary', name, quiet(label)), children);
	if (el.open) show();
	el.addEventListener('toggle', () => { if (el.open && !children.childElementCount) show(); });
	return el;
}
