// The page: the list of what the server offers, the call, and the state.
import { $, h, button, quiet, fill, size, time, clock, toast } from './dom.js';
import { parse, print, tree } from './json.js';
import { widget, initial, mark } from './form.js';
import { result } from './result.js';
import * as traffic from './traffic.js';
import * as asks from './asks.js';
import { get, post, events } from './api.js';

const kinds = { tool: 'Tools', resource: 'Resources', template: 'Templates', prompt: 'Prompts' };
const verbs = { tool: 'Run', resource: 'Read', template: 'Read', prompt: 'Get' };
const mostItems = 300; // of a kind in the list

let connection = {};
let lists = { items: {}, errors: {} };
let calls = [];
let open = null; // what is open: kind, name, value, the item and its form, and the id of its call
const drafts = new Map(); // values by kind and name

const draftKey = (kind, name) => kind + ' ' + name;
try { for (const [k, text] of JSON.parse(sessionStorage.getItem('drafts') || '[]')) drafts.set(k, parse(text)); } catch { /* of another version */ }

function keep() {
	drafts.set(draftKey(open.kind, open.name), open.value);
	try { sessionStorage.setItem('drafts', JSON.stringify([...drafts].slice(-50).map(([k, v]) => [k, print(v, 0)]))); } catch { /* too large */ }
}

const view = (name) => {
	document.body.dataset.view = name;
	for (const b of document.querySelectorAll('[data-show]')) b.setAttribute('aria-current', String(b.dataset.show === name));
};

// Connection

const words = { connecting: 'connecting…', connected: 'connected', failed: 'cannot start', waiting: 'reconnecting…' };

function showConnection() {
	const c = connection;
	$('target').textContent = c.target;
	$('target').title = c.target;
	document.title = (c.server ? c.server.title || c.server.name : c.target) + ' – mcpecho';
	$('status').className = c.status;
	$('status').lastChild.textContent = c.status === 'connected' ? c.server.name + ' ' + c.server.version + ' · ' + c.server.protocolVersion + (c.modern ? '' : ' (legacy)') : words[c.status];
	const select = $('version');
	if (select.childElementCount === 0) {
		const legacy = c.versions.filter((v) => v < '2026');
		const group = (label, list) => h('optgroup', { label }, list.map((v) => h('option', { value: v }, v)));
		select.append(h('option', { value: '' }, 'any version'), group('modern era', c.versions.filter((v) => v >= '2026')), group('legacy era', legacy));
	}
	select.value = c.version;
	const old = $('problem');
	const box = c.status !== 'connected' && c.reason ? h('div', { id: 'problem', role: 'alert' }, h('h2', c.status === 'failed' ? 'The server cannot start' : 'The connection has ended'), h('pre.text.bad', c.reason),
		h('div.bar', button('.primary', 'Try again', reconnect), c.watched && quiet('or change one of the server’s files, which mcpecho watches (' + c.watched + ')'))) : null;
	if (old && box && old.textContent === box.textContent) return;
	old?.remove();
	if (box) $('item').prepend(box);
	if (!open) showServer();
}

const reconnect = () => post('connect').catch((e) => toast(e.message));

function showServer() {
	const s = connection.server;
	const problem = $('problem');
	fill($('item'), problem, s ? [
		h('div.bar', h('h2', s.title || s.name), h('code', s.version)),
		s.description && h('p.about', s.description),
		h('dl', [['protocol', s.protocolVersion + (connection.modern ? ', modern era' : ', legacy era')], ['connected in', time(connection.took)], ['capabilities', Object.keys(s.capabilities).join(', ') || 'none'],
			connection.watched && ['watched', connection.watched]].filter(Boolean).map(([k, v]) => [h('dt', k), h('dd', v)])),
		s.instructions && [h('h3', 'Instructions'), h('pre.text', s.instructions)],
		h('p.quiet', 'Choose a tool, a resource or a prompt. Keys: / searches, Ctrl-Enter runs, Esc cancels the call.'),
	] : !problem && h('p.quiet', 'Connecting…'));
}

const tag = (i) => i?.change && h('span', { class: 'tag ' + i.change }, i.change);

// The list

function showList() {
	const query = $('search').value.toLowerCase().split(' ');
	const found = [];
	const changes = { new: 0, changed: 0, removed: 0 };
	const focused = document.activeElement?.dataset?.item;
	for (const [kind, label] of Object.entries(kinds)) {
		const all = lists.items[kind] || [];
		for (const i of all) if (i.change) changes[i.change]++;
		const hits = all.filter((i) => query.every((w) => (i.name + ' ' + (i.title || '') + ' ' + (i.description || '')).toLowerCase().includes(w)));
		if (!hits.length && !lists.errors?.[kind]) continue;
		found.push(h('h2', { id: 'list-' + kind }, label, quiet(' ' + (hits.length === all.length ? all.length : hits.length + ' of ' + all.length))),
			lists.errors?.[kind] && h('p.problem', lists.errors[kind]),
			h('ul', { 'aria-labelledby': 'list-' + kind }, hits.slice(0, mostItems).map((i) => h('li', h('button', { class: 'entry ' + (i.change || ''), 'data-item': draftKey(kind, i.name), 'aria-current': open && open.kind === kind && open.name === i.name ? 'true' : null,
				title: i.description || i.name, onclick: () => choose(kind, i.name) }, h('span.name', i.name), tag(i),
			h('span.sub', i.title && i.title !== i.name ? i.title : i.description || ''))))),
			hits.length > mostItems && h('p.quiet', hits.length - mostItems + ' more: search to see them'));
	}
	if (lists.loaded && !found.length) found.push(h('p.quiet', $('search').value ? 'Nothing matches.' : 'The server offers no tools, resources or prompts.'));
	fill($('items'), found);
	if (focused) [...document.querySelectorAll('[data-item]')].find((el) => el.dataset.item === focused)?.focus();
	const list = Object.entries(changes).filter(([, n]) => n).map(([word, n]) => n + ' ' + word);
	const versions = connection.previous && connection.server && connection.previous !== connection.server.protocolVersion ? ' (' + connection.previous + ' → ' + connection.server.protocolVersion + ')' : '';
	$('changes').textContent = list.length ? list.join(', ') + ' since the last connection' + versions : versions && 'No difference' + versions;
}

$('items').addEventListener('keydown', (e) => {
	if (e.key !== 'ArrowDown' && e.key !== 'ArrowUp') return;
	const all = [...document.querySelectorAll('[data-item]')];
	const to = all[all.indexOf(document.activeElement) + (e.key === 'ArrowDown' ? 1 : -1)] || (e.key === 'ArrowUp' && $('search'));
	if (to) { e.preventDefault(); to.focus(); }
});

// The call

const metaOf = (kind, name) => (lists.items[kind] || []).find((i) => i.name === name);

// choose opens an item, or a resource that is in no list.
async function choose(kind, name, value) {
	let data = { item: { uri: name, name, description: 'The resource is not in the list.' }, form: { kind: 'object' } };
	try {
		if (kind !== 'resource' || metaOf(kind, name)) data = parse(await get('item', { kind, name }));
	} catch (e) {
		toast(e.message);
		return false;
	}
	const draft = value ?? drafts.get(draftKey(kind, name));
	open = { kind, name, item: data.item, form: data.form, value: draft ?? initial(data.form) ?? {}, call: 0, tab: open?.tab || 'form' };
	if (data.form.kind === 'raw') open.tab = 'raw';
	showItem();
	showList();
	view('item');
	(document.querySelector('#input :is(input,textarea,select)') || $('run'))?.focus();
	return true;
}

// renew shows the open item after the lists have changed, with what the user has typed.
async function renew() {
	if (!open) return;
	const { kind, name } = open;
	let data;
	try { data = parse(await get('item', { kind, name })); } catch { return; }
	if (!open || open.kind !== kind || open.name !== name) return;
	const before = print([open.item, open.change, open.notes], 0);
	const meta = metaOf(kind, name);
	if (before === print([data.item, meta?.change, meta?.notes], 0)) return;
	open.item = data.item;
	open.form = data.form;
	showItem();
	showOutcome(true);
}

function showItem() {
	const { kind, item } = open;
	$('item').dataset.open = draftKey(kind, open.name);
	const meta = metaOf(kind, open.name);
	open.change = meta?.change;
	open.notes = meta?.notes;
	const title = item.title || item.annotations?.title;
	const empty = open.form.kind === 'object' && !(open.form.fields || []).length;
	const tab = (id, label) => button('', label, () => setTab(id), { role: 'tab', id: 'tab-' + id, 'aria-controls': 'input', 'aria-selected': String(open.tab === id), tabindex: open.tab === id ? 0 : -1 });
	fill($('item'), $('problem'),
		h('div.bar', h('h2', item.name && kind !== 'resource' && kind !== 'template' ? item.name : item.uri || item.uriTemplate), tag(meta), (meta?.hints || []).map((t) => h('span.tag', t))),
		title && title !== item.name && h('p.title', title),
		item.description && h('p.about', item.description),
		meta?.notes && h('ul.notes', meta.notes.map((n) => h('li', n.kind && h('span', { class: 'tag ' + n.kind }, n.kind), ' ', n.text))),
		h('form', { id: 'call', onsubmit: (e) => { e.preventDefault(); run(); } },
			h('div.bar', { role: 'tablist', 'aria-label': 'Arguments' }, tab('form', empty ? 'No arguments' : 'Form'), tab('raw', 'JSON'), tab('schema', 'Definition')),
			h('div', { id: 'input' }),
			h('div.bar', h('button.primary', { id: 'run' }, verbs[kind]), button('', 'Cancel', stop, { id: 'stop', hidden: true }), button('.plain', 'Reset', () => { open.value = initial(open.form) ?? {}; keep(); showInput(); }), h('span.gap'), h('span.problem', { id: 'warn', role: 'alert' }))),
		h('div', { id: 'progress', hidden: true }), h('div', { id: 'outcome' }));
	showInput();
}

function setTab(id) {
	open.tab = id;
	for (const el of document.querySelectorAll('#call [role=tab]')) {
		const on = el.id === 'tab-' + id;
		el.setAttribute('aria-selected', String(on));
		el.tabIndex = on ? 0 : -1;
		if (on) el.focus();
	}
	showInput();
}

function showInput() {
	const box = $('input');
	const change = (v) => { open.value = v ?? {}; keep(); warn(''); };
	if (open.tab === 'schema') return fill(box, tree(open.item));
	if (open.tab === 'raw') {
		const problem = h('p.problem', { role: 'alert', id: 'raw-problem' });
		const area = h('textarea.code', { id: 'raw', rows: Math.min(18, Math.max(4, print(open.value).split('\n').length + 1)), spellcheck: 'false', 'aria-label': 'Arguments as JSON', 'aria-describedby': 'raw-problem', value: print(open.value), oninput: () => {
			try { change(parse(area.value || '{}')); problem.textContent = ''; open.invalid = ''; } catch (e) { problem.textContent = open.invalid = 'not valid JSON: ' + e.message; }
		} });
		open.invalid = '';
		return fill(box, open.form.kind === 'raw' && h('p.quiet', 'No form: ' + open.form.reason + '.'), area, problem);
	}
	open.invalid = '';
	const complete = async (argument, value) => (await post('complete', JSON.stringify({ kind: open.kind, name: open.name, argument, value, given: Object.fromEntries(Object.entries(open.value).filter(([k]) => k !== argument)) }))).values || [];
	fill(box, widget(open.form, open.value, change, '', complete));
}

const warn = (text) => { if ($('warn')) $('warn').textContent = text; };

async function run(anyway = false) {
	if (!open) return;
	if (open.invalid) { warn(open.invalid); $('raw')?.focus(); return; }
	warn('');
	try {
		const answer = await post('call', '{"kind":' + JSON.stringify(open.kind) + ',"name":' + JSON.stringify(open.name) + ',"anyway":' + anyway + ',"arguments":' + print(open.value, 0) + '}');
		open.call = answer.call;
		showOutcome();
	} catch (e) {
		if (e.path === undefined) { warn(e.message); return; }
		if (!mark($('input'), e.path, e.message) || open.tab !== 'form') warn((e.path ? e.path + ': ' : '') + e.message);
		$('warn').append(' ', button('.plain', 'Send anyway', () => run(true)));
	}
}

const stop = () => { if (open?.call) post('cancel', JSON.stringify({ call: open.call })).catch((e) => toast(e.message)); };

let ticking;
async function showOutcome(again) {
	const id = open?.call;
	const call = id && calls.find((c) => c.id === id);
	if (!call || !$('outcome')) return;
	const running = call.status === 'running';
	$('stop').hidden = !running;
	$('progress').hidden = !running;
	$('run').textContent = verbs[open.kind] + (running ? ' again' : '');
	clearTimeout(ticking);
	if (running) {
		const p = call.progress;
		const bar = $('progress');
		const fraction = p && p.total ? { value: Math.min(1, p.progress / p.total) } : {};
		fill(bar, h('progress', { ...fraction, max: 1, 'aria-label': 'Progress' }), h('span', time(Date.now() - call.at)), p && h('span', (p.message || '') + (p.total ? ' ' + p.progress + '/' + p.total : p.message ? '' : ' ' + p.progress)),
			!p && Date.now() - call.at > 5000 && quiet('No response and no progress yet.'));
		fill($('outcome'));
		ticking = setTimeout(showOutcome, 100);
		open.done = 0;
		return;
	}
	if (open.done === id && !again) return;
	open.done = id;
	let raw = '';
	if (call.kept) try { raw = await get('result', { call: id }); } catch (e) { raw = ''; }
	if (open?.call === id && $('outcome')) fill($('outcome'), result(call, raw, readResource));
}

const readResource = async (uri) => { if (await choose('resource', uri)) run(); };

// History

function showHistory() {
	fill($('history-pane'), calls.length ? h('ul', [...calls].reverse().map((c) => h('li', { class: 'call ' + c.status + (c.isError ? ' bad' : '') },
		h('button.entry', { onclick: async () => {
			if (!await choose(c.kind, c.name, c.arguments)) return;
			open.call = c.id;
			showOutcome(true);
		} }, h('span.name', c.name), h('span', { class: 'tag ' + (c.status !== 'done' || c.isError ? c.status === 'running' ? '' : 'bad' : 'good') }, c.isError ? 'isError' : c.status), c.check === 'violates' && h('span.tag.bad', 'schema'),
		h('span.sub', clock(c.at) + (c.took ? ' · ' + time(c.took) : '') + (c.size ? ' · ' + size(c.size) : '') + (c.arguments ? ' · ' + print(c.arguments, 0).slice(0, 200) : ''))),
		button('.plain', 'Run again', async () => { if (await choose(c.kind, c.name, c.arguments)) run(true); })))) : h('p.quiet', 'No calls yet.'));
}

for (const b of document.querySelectorAll('[data-show]')) b.addEventListener('click', () => view(b.dataset.show));
view('list');

function tabs(list) {
	const [a, b] = list.map((name) => $('tab-' + name));
	for (const el of [a, b]) {
		el.addEventListener('click', () => {
			for (const o of [a, b]) {
				o.setAttribute('aria-selected', String(o === el));
				o.tabIndex = o === el ? 0 : -1;
				$(o.getAttribute('aria-controls')).hidden = o !== el;
			}
		});
	}
}
tabs(['traffic', 'history']);

document.addEventListener('keydown', (e) => {
	const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(e.target.tagName);
	if ($('ask').open) return;
	if (e.target.role === 'tab' && (e.key === 'ArrowRight' || e.key === 'ArrowLeft')) {
		const all = [...e.target.parentElement.querySelectorAll('[role=tab]')];
		const to = all[(all.indexOf(e.target) + (e.key === 'ArrowRight' ? 1 : all.length - 1)) % all.length];
		to.click();
		document.getElementById(to.id)?.focus();
	} else if (e.key === '/' && !typing) {
		e.preventDefault();
		view('list');
		$('search').focus();
	} else if (e.key === 'Enter' && (e.ctrlKey || e.metaKey)) {
		e.preventDefault();
		run();
	} else if (e.key === 'Enter' && !e.shiftKey && e.target.tagName === 'TEXTAREA' && e.target.rows === 1) {
		e.preventDefault();
		e.target.form?.requestSubmit();
	} else if (e.key === 'Escape' && open?.call && calls.find((c) => c.id === open.call)?.status === 'running') {
		stop();
	}
});
$('search').addEventListener('input', showList);
$('search').addEventListener('keydown', (e) => {
	const first = document.querySelector('[data-item]');
	if (first && e.key === 'ArrowDown') { e.preventDefault(); first.focus(); }
	if (first && e.key === 'Enter') { e.preventDefault(); first.click(); }
});
$('reconnect').addEventListener('click', reconnect);
$('version').addEventListener('change', (e) => post('connect', JSON.stringify({ version: e.target.value })).catch((err) => toast(err.message)));
$('clear').addEventListener('click', async () => { await post('clear'); traffic.reset(); });
$('record').addEventListener('click', async () => {
	try {
		const url = URL.createObjectURL(new Blob([await get('recording')], { type: 'text/plain' }));
		h('a', { href: url, download: 'session.mcp' }).click();
		setTimeout(() => URL.revokeObjectURL(url), 10000);
		toast('Saved session.mcp: replay it with "mcpecho serve --replay session.mcp". Look through it before you share it: masking may miss a secret.');
	} catch (e) { toast(e.message); }
});

traffic.start();
events((name, data) => {
	if (name === 'connection') { connection = data; showConnection(); showList(); }
	if (name === 'lists') { lists = data; lists.items ||= {}; lists.errors ||= {}; showList(); renew(); }
	if (name === 'asks') asks.show(data, connection.server?.name || connection.target);
	if (name === 'calls') { calls = data; showHistory(); showOutcome(); }
	if (name === 'traffic') traffic.add(data);
}, (state) => {
	document.body.dataset.stream = state;
	if (state === 'open') return;
	$('status').className = 'failed';
	$('status').lastChild.textContent = 'mcpecho has ended';
	if (state === 'refused') {
		fill(document.querySelector('main'), h('section', { id: 'refused', role: 'alert' }, h('h2', 'This page has no access'), h('p', 'Open the URL that mcpecho printed when it started. If mcpecho was started again, its earlier pages and tabs no longer work.')));
	}
});
