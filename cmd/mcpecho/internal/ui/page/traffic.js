// The traffic: one row for each message, of which only those in view are in the document.
import { $, say, h, on, button, quiet, fill, size, time, clock, copy, esc, long } from './dom.js';
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
let drawn = 0; // the height of the rows at the last frame
let follows = true; // whether the user was at the end

const rows = $('rows');
const space = $('space');

const matches = (e) => {
	for (const name of off) if (groups[name].includes(e.kind)) return false;
	if (!words.length) return true;
	const all = [e.kind, e.method, e.name, e.text, e.sent ? 'sent' : 'received', e.failed && 'iserror', e.id && '#' + e.id].join(' ').toLowerCase();
	return words.every((w) => all.includes(w));
};

export function add(data) {
	if (entries.length && data.entries?.length && data.entries[0].seq <= entries.at(-1).seq) reset(); // mcpecho sends all again
	dropped = data.dropped;
	for (const e of data.entries || []) {
		entries.push(e);
		if (matches(e)) shown.push(e);
	}
	if (entries.length > most) {
		entries = entries.slice(-most);
		shown = shown.filter((e) => e.seq >= entries[0].seq);
	}
	plan();
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
export function plan(end) {
	toEnd ||= end;
	if (planned) return;
	planned = true;
	requestAnimationFrame(() => { planned = false; draw(); });
}

const marks = { request: '→←', response: '→←', error: '→←', notification: '⇢⇠', invalid: '!!', stderr: '▪▪', trace: '··' };

// The rows of the document, each for one entry after the other, so that no frame
// makes elements.
const pool = [];
let first = 0; // the index of the entry that the first row shows

function row(k) {
	const e = shown[first + k];
	const el = pool[k] ||= h('div', { role: 'option', onclick: () => { rows.focus(); choose(first + k); } }, h('span.at'), h('span'), h('span.what', h('b'), h('span'), h('span.note'), h('span.tag.bad', 'isError')), h('span.took'), h('span.size'));
	const log = e.kind === 'stderr' || e.kind === 'trace';
	const took = e.took === undefined ? '' : time(e.took);
	const set = (child, text = '') => { if (child.textContent !== text) child.textContent = text; };
	const [at, mark, what, duration, bytes] = el.children;
	const [title, name, note, tag] = what.children;
	el.id = 'row' + e.seq;
	el.className = 'row ' + e.kind + (e.failed ? ' failed' : '') + ((first + k) % 2 ? ' odd' : '');
	el.style.top = (first + k) * height + 'px';
	for (const [key, value] of Object.entries({ selected: e.seq === chosen, setsize: shown.length, posinset: first + k + 1,
		label: [log ? '' : e.sent ? 'sent' : 'received', e.kind, esc(e.method), esc(e.name), esc(e.text), took, size(e.size)].filter(Boolean).join(', ') })) el.setAttribute('aria-' + key, value);
	set(at, clock(e.at));
	set(mark, marks[e.kind][e.sent ? 0 : 1]);
	mark.className = 'mark ' + (e.sent ? 'sent' : 'received');
	set(title, esc(e.method || (log ? e.name : e.kind)));
	set(name, e.method && e.name && ' ' + esc(e.name));
	set(note, e.text && (title.textContent && ' ') + esc(e.text.split('\n')[0]));
	tag.hidden = !e.failed;
	set(duration, took);
	set(bytes, size(e.size));
}

function draw() {
	if (!chosen && follows) toEnd = true;
	drawn = shown.length * height;
	space.style.height = drawn + 'px';
	if (toEnd) rows.scrollTop = drawn;
	if (rows.clientHeight) toEnd = false; // else another view is shown
	const { scrollTop, clientHeight } = rows;
	first = Math.max(0, Math.floor(scrollTop / height) - 8);
	const n = Math.max(0, Math.min(shown.length, Math.ceil((scrollTop + clientHeight) / height) + 8) - first);
	for (let k = 0; k < n; k++) row(k);
	while (space.childElementCount > n) space.lastChild.remove();
	if (space.childElementCount < n) space.append(...pool.slice(space.childElementCount, n));
	if (chosen) rows.setAttribute('aria-activedescendant', 'row' + chosen); else rows.removeAttribute('aria-activedescendant');
	const total = entries.length;
	if ($('history-pane').hidden) say('count', (shown.length === total ? '' : shown.length + ' of ') + total + (dropped ? ', ' + dropped + ' older ones dropped' : ''));
}

function show(i) {
	rows.scrollTop = Math.min(Math.max(rows.scrollTop, (i + 1) * height - rows.clientHeight), i * height);
}

function close() {
	chosen = 0;
	$('entry').hidden = true;
	plan();
	rows.focus();
}

async function choose(i) {
	const e = shown[i];
	if (!e) return;
	chosen = e.seq;
	show(i);
	draw();
	const pane = $('entry');
	const data = await get('entry', { seq: e.seq }).then(JSON.parse, (err) => ({ text: err.message }));
	if (chosen !== e.seq) return;
	const body = pretty(data.text);
	const other = e.of || entries.find((r) => r.of === e.seq)?.seq;
	pane.hidden = false;
	fill(pane, h('div.bar', h('h3', esc(e.method || e.name || e.kind)), quiet([e.kind, e.id && '#' + esc(e.id), e.conn && 'connection ' + e.conn].filter(Boolean).join(', ')), h('span.gap'),
		other && button('.plain', e.of ? 'Request' : 'Response', () => choose(shown.findIndex((r) => r.seq === other))),
		button('.plain', 'Copy', () => copy(body, 'the message')),
		data.command && button('.plain', 'Copy command', () => copy(data.command, data.command)),
		button('.plain', '✕', close, { 'aria-label': 'Close the message' })),
	long(body));
	show(i);
	plan();
}

export function start() {
	for (const name of Object.keys(groups)) {
		$('kinds').append(button('.toggle', name, (e) => {
			if (!off.delete(name)) off.add(name);
			e.target.setAttribute('aria-pressed', !off.has(name));
			refilter();
		}, { 'aria-pressed': 'true' }));
	}
	on('filter', 'input', refilter);
	on('rows', 'scroll', () => {
		if (rows.clientHeight) follows = rows.scrollTop + rows.clientHeight >= drawn - height;
		plan();
	});
	on('traffic', 'keydown', (e) => { if (e.key === 'Escape' && chosen) { e.stopPropagation(); close(); } });
	new ResizeObserver(() => plan()).observe(rows);
	on('rows', 'keydown', (e) => {
		const page = Math.max(1, Math.floor(rows.clientHeight / height) - 1);
		const at = shown.findIndex((r) => r.seq === chosen);
		const to = { ArrowDown: at + 1, ArrowUp: at < 0 ? shown.length - 1 : at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: shown.length - 1 }[e.key];
		if (to === undefined || !shown.length) return;
		e.preventDefault();
		choose(Math.max(0, Math.min(shown.length - 1, to)));
	});
}
