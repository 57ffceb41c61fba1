// The traffic: one row for each message, of which only those in view are in the document.
import { $, h, button, quiet, fill, size, time, clock, copy } from './dom.js';
import { pretty } from './json.js';
import { get } from './api.js';

const height = 26; // of a row, as in style.css
const most = 50000; // rows that the page keeps
const groups = { Requests: ['request', 'response', 'error', 'invalid'], Notifications: ['notification'], stderr: ['stderr'], Trace: ['trace'] };

let entries = [];
let shown = [];
let chosen = 0; // the seq of the chosen entry
let dropped = 0;
const off = new Set();
let words = [];
let planned = false;

const rows = $('rows');
const space = $('space');

const matches = (e) => {
	for (const name of off) if (groups[name].includes(e.kind)) return false;
	if (!words.length) return true;
	const text = [e.kind, e.method, e.name, e.text, e.sent ? 'sent' : 'received', e.failed && 'iserror', e.id && '#' + e.id].join(' ').toLowerCase();
	return words.every((w) => text.includes(w));
};

export function add(data) {
	if (entries.length && data.entries?.length && data.entries[0].seq <= entries.at(-1).seq) reset(); // mcpecho sends all again
	dropped = data.dropped;
	const atEnd = rows.scrollTop + rows.clientHeight >= rows.scrollHeight - 2 * height;
	for (const e of data.entries || []) {
		entries.push(e);
		if (matches(e)) shown.push(e);
	}
	if (entries.length > most) {
		entries = entries.slice(-most);
		shown = shown.filter((e) => e.seq >= entries[0].seq);
	}
	plan(atEnd && !chosen);
}

export function reset() {
	entries = [];
	shown = [];
	chosen = 0;
	$('entry').hidden = true;
	plan();
}

function refilter() {
	words = $('filter').value.toLowerCase().split(/\s+/).filter(Boolean);
	shown = entries.filter(matches);
	plan(true);
}

// plan draws the rows in view once before the next frame.
let toEnd = false;
function plan(end) {
	toEnd ||= end;
	if (planned) return;
	planned = true;
	requestAnimationFrame(() => { planned = false; draw(); });
}

const marks = { request: ['→', '←'], response: ['→', '←'], error: ['→', '←'], notification: ['⇢', '⇠'], invalid: ['!', '!'] };

function row(e, i) {
	const mark = marks[e.kind]?.[e.sent ? 0 : 1] || (e.kind === 'stderr' ? '▪' : '·');
	const direction = e.kind === 'stderr' || e.kind === 'trace' ? e.kind : e.sent ? 'sent' : 'received';
	const el = h('div', { class: 'row ' + e.kind + (e.failed ? ' failed' : ''), role: 'option', id: 'row' + e.seq, 'aria-selected': String(e.seq === chosen), 'aria-setsize': shown.length, 'aria-posinset': i + 1,
		'aria-label': [direction, e.kind, e.method, e.name, e.text, e.took !== undefined && time(e.took), size(e.size)].filter(Boolean).join(', '), onclick: () => { rows.focus(); choose(i); } },
	h('span.at', clock(e.at)), h('span', { class: 'mark ' + (e.sent ? 'sent' : 'received') }, mark),
	h('span.what', e.kind === 'trace' ? h('b', e.name + ' ') : h('b', e.method || (e.kind === 'stderr' ? '' : e.kind)), e.kind !== 'trace' && e.name && ' ' + e.name,
		e.text && h('span.note', ' ' + e.text.split('\n')[0]), e.failed && h('span.tag.bad', 'isError')),
	h('span.took', e.took !== undefined ? time(e.took) : ''), h('span.size', size(e.size)));
	el.style.top = i * height + 'px';
	return el;
}

function draw() {
	space.style.height = shown.length * height + 'px';
	if (toEnd) rows.scrollTop = rows.scrollHeight;
	toEnd = false;
	const first = Math.max(0, Math.floor(rows.scrollTop / height) - 8);
	const last = Math.min(shown.length, Math.ceil((rows.scrollTop + rows.clientHeight) / height) + 8);
	fill(space, shown.slice(first, last).map((e, i) => row(e, first + i)));
	if (chosen) rows.setAttribute('aria-activedescendant', 'row' + chosen); else rows.removeAttribute('aria-activedescendant');
	const total = entries.length;
	$('count').textContent = (shown.length === total ? total : shown.length + ' of ' + total) + (dropped ? ', ' + dropped + ' older ones dropped' : '');
}

function show(i) {
	rows.scrollTop = Math.min(Math.max(rows.scrollTop, (i + 1) * height - rows.clientHeight), i * height);
}

async function choose(i) {
	const e = shown[i];
	if (!e) return;
	chosen = e.seq;
	show(i);
	draw();
	const pane = $('entry');
	let data;
	try { data = JSON.parse(await get('entry', { seq: e.seq })); } catch (err) { data = { text: err.message }; }
	if (chosen !== e.seq) return;
	const body = pretty(data.text);
	const other = e.of || entries.find((r) => r.of === e.seq)?.seq;
	pane.hidden = false;
	fill(pane, h('div.bar', h('h3', e.method || e.name || e.kind), quiet([e.kind, e.id && '#' + e.id, e.conn && 'connection ' + e.conn].filter(Boolean).join(', ')), h('span.gap'),
		other && button('.plain', e.of ? 'Request' : 'Response', () => choose(shown.findIndex((r) => r.seq === other))),
		button('.plain', 'Copy JSON', () => copy(body, 'JSON')),
		data.command && button('.plain', 'Copy command', () => copy(data.command, data.command)),
		button('.plain', '✕', () => { chosen = 0; pane.hidden = true; plan(); rows.focus(); }, { 'aria-label': 'Close the message' })),
	h('pre.text', { tabindex: 0 }, body.length > 200000 ? body.slice(0, 200000) + '\n… ' + size(body.length) + '; copy it to see the rest' : body));
	show(i);
	plan();
}

export function start() {
	for (const name of Object.keys(groups)) {
		$('kinds').append(button('.toggle', name, (e) => {
			if (!off.delete(name)) off.add(name);
			e.target.setAttribute('aria-pressed', String(!off.has(name)));
			refilter();
		}, { 'aria-pressed': 'true' }));
	}
	$('filter').addEventListener('input', refilter);
	rows.addEventListener('scroll', () => plan());
	new ResizeObserver(() => plan()).observe(rows);
	rows.addEventListener('keydown', (e) => {
		const page = Math.max(1, Math.floor(rows.clientHeight / height) - 1);
		const at = shown.findIndex((r) => r.seq === chosen);
		const to = { ArrowDown: at + 1, ArrowUp: at < 0 ? shown.length - 1 : at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: shown.length - 1 }[e.key];
		if (to === undefined || !shown.length) return;
		e.preventDefault();
		choose(Math.max(0, Math.min(shown.length - 1, to)));
	});
}
