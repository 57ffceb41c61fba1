// Results of every kind of content. What a server sends is text, a value in a tree, or an
// image or a sound of a known type that runs no script.
import { h, tag, button, quiet, size, time, copy } from './dom.js';
import { parse, pretty, tree } from './json.js';

const images = /^image\/(png|jpeg|gif|webp|avif|bmp)$/;
const sounds = /^audio\/(mpeg|mp3|wav|x-wav|wave|ogg|webm|mp4|aac|flac|x-flac)$/;
const base64 = /^[A-Za-z0-9+/_=\s-]*$/;
const mostText = 100000;

export function text(s) {
	const pre = h('pre.text', { tabindex: 0 }, s.length > mostText ? s.slice(0, mostText) : s);
	if (s.length <= mostText) return pre;
	const more = button('.plain', 'Show all ' + size(s.length), () => { pre.textContent = s; more.remove(); });
	return [pre, more];
}

// media shows data of a known type, and otherwise its size.
function media(type, data, name) {
	const kind = String(type || '').toLowerCase().split(';')[0].trim();
	const ok = typeof data === 'string' && base64.test(data);
	const url = ok && 'data:' + kind + ';base64,' + data.replace(/\s/g, '').replaceAll('-', '+').replaceAll('_', '/');
	const about = (type || 'no MIME type') + ', ' + size(Math.floor(String(data || '').length * 3 / 4));
	if (ok && images.test(kind)) return [h('img', { src: url, alt: 'Image from the server: ' + (name || type) }), h('p.quiet', about)];
	if (ok && sounds.test(kind)) return [h('audio', { src: url, controls: true, 'aria-label': 'Sound from the server: ' + (name || type) }), h('p.quiet', about)];
	if (ok && kind === 'image/svg+xml') {
		let source = '';
		try { source = new TextDecoder().decode(Uint8Array.from(atob(data), (c) => c.charCodeAt(0))); } catch { /* not base64 */ }
		return [h('p.quiet', about + '. An SVG image may contain scripts, so the page shows its source.'), text(source)];
	}
	return h('p.quiet', about + (ok ? '' : ', not valid base64') + '. The page cannot show this type.');
}

function contents(c) {
	return [h('p.quiet', h('code', c.uri || ''), c.mimeType ? ' ' + c.mimeType : ''), typeof c.text === 'string' ? text(c.text) : media(c.mimeType, c.blob, c.uri)];
}

// content shows a content block. read(uri) reads a resource of the server.
function content(c, read) {
	switch (c && c.type) {
		case 'text': return text(String(c.text));
		case 'image': case 'audio': return media(c.mimeType, c.data);
		case 'resource': return contents(c.resource || {});
		case 'resource_link': return h('div', h('b', c.title || c.name || 'resource'), ' ', h('code', c.uri || ''), c.description && h('p.about', c.description),
			button('', 'Read this resource', () => read(String(c.uri))));
	}
	return tree(c);
}

const block = (label, ...body) => h('div.block', h('h4', label), body);

// result shows the outcome of a call. raw is the text of the result.
export function result(call, raw, read) {
	const headline = call.status === 'done' ? (call.isError ? 'The tool failed' : 'Result')
		: call.status === 'canceled' ? 'Canceled' : 'Failed';
	const parts = [h('div', { class: 'bar headline ' + (headline === 'Result' ? 'good' : 'bad'), role: 'status' }, h('h3', headline),
		call.isError && tag('bad', 'isError'), quiet(time(call.took || 0) + (call.size ? ', ' + size(call.size) : '')),
		h('span.gap'), raw && button('.plain', 'Copy JSON', () => copy(pretty(raw), 'the result'))), call.error && h('pre.text.bad', call.error),
	call.check && h('p', { class: 'check ' + call.check }, call.check === 'fits' ? '✓ The structured content matches the output schema.'
		: call.check === 'violates' ? '✗ The result violates the output schema: ' + call.problem : call.problem)];
	if (!raw) return [...parts, call.status === 'done' && h('p.quiet', 'The result is no longer kept.')];
	let v;
	try { v = parse(raw); } catch { return [...parts, text(raw)]; }
	if (call.status === 'done') {
		if (call.kind === 'tool') {
			const list = Array.isArray(v.content) ? v.content : [];
			if (v.structuredContent !== undefined) parts.push(block('structured content', tree(v.structuredContent)));
			list.forEach((c, i) => parts.push(block((list.length > 1 ? i + 1 + '. ' : '') + String(c?.type || 'content'), content(c, read))));
			if (!list.length && v.structuredContent === undefined) parts.push(h('p.quiet', 'The result is empty.'));
		} else if (call.kind === 'prompt') {
			if (v.description) parts.push(h('p.about', v.description));
			for (const m of v.messages || []) parts.push(block(String(m.role), content(m.content, read)));
		} else {
			for (const c of v.contents || []) parts.push(block('contents', contents(c)));
		}
	}
	const all = h('details', h('summary', 'Raw JSON'));
	all.addEventListener('toggle', () => { if (all.childElementCount === 1) all.append(text(pretty(raw))); });
	parts.push(all);
	return parts;
}

// message shows a message of a request to sample.
export const message = (m) => block(String(m.role), (Array.isArray(m.content) ? m.content : [m.content]).map((c) => content(c, () => {})));
