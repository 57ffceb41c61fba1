// Results of every kind of content. What a server sends is text, a value in a tree, or an
// image or a sound of a known type that runs no script.
import { h, tag, button, quiet, size, time, copy, esc, long, some } from './dom.js';
import { parse, pretty, tree } from './json.js';

const images = /^image\/(png|jpeg|gif|webp|avif|bmp)$/;
const sounds = /^audio\/(mpeg|mp3|wav|x-wav|wave|ogg|webm|mp4|aac|flac|x-flac)$/;
const base64 = /^[A-Za-z0-9+/_=\s-]*$/;
const mostBlocks = 50;

// media shows data of a known type, and otherwise its size.
function media(type, data, name) {
	type = esc(type);
	const kind = String(type || '').toLowerCase().split(';')[0].trim();
	const ok = typeof data === 'string' && base64.test(data);
	const url = ok && 'data:' + kind + ';base64,' + data.replace(/\s/g, '').replaceAll('-', '+').replaceAll('_', '/');
	const about = (type || 'no MIME type') + ', ' + size(Math.floor(String(data || '').length * 3 / 4));
	if (ok && images.test(kind)) return [h('img', { src: url, alt: 'Image from the server: ' + (name || type) }), h('p.quiet', about)];
	if (ok && sounds.test(kind)) return [h('audio', { src: url, controls: true, 'aria-label': 'Sound from the server: ' + (name || type) }), h('p.quiet', about)];
	if (ok && kind === 'image/svg+xml') {
		let source = '';
		try { source = new TextDecoder().decode(Uint8Array.from(atob(data), (c) => c.charCodeAt(0))); } catch { /* not base64 */ }
		return [h('p.quiet', about + '. An SVG image may contain scripts, so the page shows its source.'), long(source)];
	}
	return h('p.quiet', about + (ok ? '' : ', not valid base64') + '. The page cannot show this type.');
}

function contents(c) {
	return [h('p.quiet', h('code', esc(c?.uri)), c?.mimeType ? ' ' + esc(c.mimeType) : ''), typeof c?.text === 'string' ? long(c.text) : media(c?.mimeType, c?.blob, esc(c?.uri))];
}

// content shows a content block. read(uri) reads a resource of the server.
function content(c, read) {
	switch (c && c.type) {
		case 'text': return long(c.text);
		case 'image': case 'audio': return media(c.mimeType, c.data);
		case 'resource': return contents(c.resource || {});
		case 'resource_link': return h('div', h('b', esc(c.title || c.name || 'resource')), ' ', h('code', esc(c.uri)), c.description && long(c.description, 'p.about', 5000),
			button('', 'Read this resource', () => read(String(c.uri))));
	}
	return tree(c);
}

const block = (label, ...body) => h('div.block', h('h4', label), body);

// verdict returns the outcome of a call in a few words, and whether it is good.
export const verdict = (call) => call.status === 'canceled' ? ['Canceled', 'bad'] : call.status !== 'done' ? ['Failed', 'bad']
	: call.isError ? ['The tool failed', 'bad'] : call.check === 'violates' ? ['The result breaks its schema', 'bad'] : ['Result', call.check === 'unknown' ? 'warn' : 'good'];

// result shows the outcome of a call. raw is the text of the result.
export function result(call, raw, read) {
	const [headline, kind] = verdict(call);
	const parts = [h('div', { class: 'bar headline ' + kind }, h('h3', headline),
		call.isError && tag('bad', 'isError'), quiet(time(call.took || 0) + (call.size ? ', ' + size(call.size) : '')),
		h('span.gap'), raw && button('.plain', 'Copy JSON', () => copy(pretty(raw), 'the result'))), call.error && long(call.error, 'pre.text.bad'),
	call.check && h('p', { class: 'check ' + call.check }, call.check === 'fits' ? '✓ The structured content matches the output schema.'
		: call.check === 'violates' ? '✗ The result violates the output schema: ' + call.problem : call.problem)];
	if (!raw) return [...parts, call.status === 'done' && h('p.quiet', 'The result is no longer kept.')];
	let v;
	try { v = parse(raw); } catch { return [...parts, long(raw)]; }
	if (call.status === 'done') {
		if (call.kind === 'tool') {
			const list = Array.isArray(v.content) ? v.content : [];
			if (v.structuredContent !== undefined) parts.push(block('structured content', tree(v.structuredContent)));
			parts.push(some(list, mostBlocks, (c, i) => block((list.length > 1 ? i + 1 + '. ' : '') + esc(c?.type || 'content'), content(c, read))));
			if (!list.length && v.structuredContent === undefined) parts.push(h('p.quiet', 'The result is empty.'));
		} else if (call.kind === 'prompt') {
			if (v.description) parts.push(long(v.description, 'p.about', 5000));
			parts.push(some(v.messages || [], mostBlocks, (m) => block(esc(m?.role), content(m?.content, read))));
		} else parts.push(some(v.contents || [], mostBlocks, (c) => block('contents', contents(c))));
	}
	const all = h('details', h('summary', 'Raw JSON'));
	all.addEventListener('toggle', () => { if (all.childElementCount === 1) all.append(...[long(pretty(raw))].flat()); });
	parts.push(all);
	return parts;
}

// message shows a message of a request to sample.
export const message = (m) => block(esc(m?.role), some(Array.isArray(m?.content) ? m.content : [m?.content], mostBlocks, (c) => content(c, () => {})));
