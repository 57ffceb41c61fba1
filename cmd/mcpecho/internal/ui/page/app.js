// The page: the list of what the server offers, the call, and the state.
import { $, say, all, inputs, h, on, button, tabs, tag, quiet, fill, size, time, clock, toast, failed, esc, long } from './dom.js';
import { parse, print, tree } from './json.js';
import { widget, initial, marks, valid, jsonArea } from './form.js';
import { result, verdict } from './result.js';
import * as traffic from './traffic.js';
import * as asks from './asks.js';
import { eras, compare } from './compare.js';
import { get, post, events } from './api.js';

const kinds = { tool: 'Tools', resource: 'Resources', template: 'Templates', prompt: 'Prompts' };
const verbs = { tool: 'Run', resource: 'Read', template: 'Read', prompt: 'Get' };
const mostItems = 300; // of a kind in the list

let connection = {};
let follow = null; // the resource whose updates the page shows
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
	for (const b of all('[data-show]')) b.setAttribute('aria-current', b.dataset.show === name);
};

// Connection

const words = { connecting: 'connecting…', failed: 'not connected', waiting: 'reconnecting…' };

function showConnection() {
	const c = connection;
	say('target', esc(c.target));
	$('target').title = c.target;
	document.title = esc(c.server?.title || c.server?.name || c.target, 100) + ' – mcpecho';
	$('status').className = c.status;
	say('status-text', c.status === 'connected' ? esc(c.server.name, 100) + ' ' + esc(c.server.version, 40) + ' · ' + c.server.protocolVersion + (c.modern ? '' : ' (legacy)') : words[c.status]);
	$('status').title = $('status-text').textContent;
	const select = $('version');
	if (select.childElementCount === 0) select.append(h('option', { value: '' }, 'any version'), ...eras(c.versions));
	for (const o of all('option', select)) {
		o.disabled = (c.refused || []).includes(o.value);
		if (o.value) o.textContent = o.value + (o.disabled ? ' (refused)' : '');
	}
	select.value = c.version;
	const ended = $('ended');
	if (ended.hidden = !c.ended || c.ended === gone) fill(ended);
	else fill(ended, h('span.gap', 'The server ended at ' + clock(c.ended).slice(0, 8) + ': ', h('b', esc(c.endReason.split('\n')[0])), c.status === 'connected' && '. mcpecho has connected again.'), button('.plain', '✕', () => { gone = c.ended; ended.hidden = true; }, { 'aria-label': 'Hide' }));
	const old = $('problem');
	const box = c.status !== 'connected' && c.reason && h('div', { id: 'problem', role: 'alert' }, h('h2', c.status !== 'failed' ? 'The connection has ended' : (c.refused || []).includes(c.version) ? 'The server refuses ' + c.version : 'mcpecho cannot connect'), long(c.reason, 'pre.text.bad'),
		h('div.bar', (c.refused || []).includes(c.version) ? button('.primary', 'Use any version', () => choose_version('')) : button('.primary', 'Try again', reconnect), c.watched && quiet('or change one of the server’s files, which mcpecho watches (' + c.watched + ')')));
	if (old && box && old.textContent === box.textContent) return;
	old?.remove();
	if (box) $('item').prepend(box);
	if (box && !c.opened) view('item'); // in a narrow window, too
	if (!open) showServer();
}

let gone = 0; // the end of a connection that the user has seen
const choose_version = (version) => post('connect', { version }).catch(failed);
const reconnect = () => post('connect').catch(failed);

function showServer() {
	const s = connection.server;
	const problem = $('problem');
	fill($('item'), problem, s ? [
		h('div.bar', h('h2', esc(s.title || s.name)), h('code', esc(s.version))),
		s.description && long(s.description, 'p.about', 5000),
		h('dl', Object.entries({ protocol: s.protocolVersion + (connection.modern ? ', modern era' : ', legacy era'), 'connected in': time(connection.took), capabilities: esc(Object.keys(s.capabilities).join(', ')) || 'none',
			watched: connection.watched }).map(([k, v]) => v && [h('dt', k), h('dd', v)])),
		s.instructions && [h('h3', 'Instructions'), long(s.instructions)],
		h('p.quiet', 'Choose a tool, a resource or a prompt. Keys: / searches, Ctrl-Enter runs, Esc cancels the call, Q goes to a question of the server.'),
	] : !problem && h('p.quiet', 'Connecting…'));
}

// The list

function showList() {
	const query = $('search').value.toLowerCase().split(' ');
	const found = [];
	const changes = { new: 0, changed: 0, removed: 0 };
	const focused = document.activeElement?.dataset?.item;
	for (const [kind, label] of Object.entries(kinds)) {
		const items = lists.items[kind] || [];
		for (const i of items) if (i.change) changes[i.change]++;
		const hits = items.filter((i) => query.every((w) => (i.name + ' ' + (i.title || '') + ' ' + (i.description || '')).toLowerCase().includes(w)));
		if (!hits.length && !lists.errors?.[kind]) continue;
		found.push(h('h2', { id: 'list-' + kind }, label, quiet(' ' + (hits.length === items.length ? '' : hits.length + ' of ') + items.length)),
			lists.errors?.[kind] && h('p.problem', lists.errors[kind]),
			h('ul', { 'aria-labelledby': 'list-' + kind }, hits.slice(0, mostItems).map((i) => h('li', h('button', { class: 'entry ' + (i.change || ''), 'data-item': draftKey(kind, i.name), 'aria-current': open?.kind === kind && open.name === i.name ? 'true' : null,
				title: i.description || i.name, onclick: () => choose(kind, i.name) }, h('span.name', esc(i.name)), i.change && tag(i.change),
			h('span.sub', i.title && i.title !== i.name ? esc(i.title) : i.description || ''))))),
			hits.length > mostItems && h('p.quiet', hits.length - mostItems + ' more: search to see them'));
	}
	if (lists.loaded && !found.length) found.push(h('p.quiet', $('search').value ? 'Nothing matches.' : 'The server offers no tools, resources or prompts.'));
	fill($('items'), found);
	if (focused) all('[data-item]').find((el) => el.dataset.item === focused)?.focus();
	const list = Object.entries(changes).filter(([, n]) => n).map(([word, n]) => n + ' ' + word);
	const { previous, server } = connection;
	const versions = previous && server && previous !== server.protocolVersion ? ' (' + previous + ' → ' + server.protocolVersion + ')' : '';
	say('changes', list.length ? list.join(', ') + ' since the last connection' + versions : versions && 'No difference' + versions);
}

on('items', 'keydown', (e) => {
	if (e.key !== 'ArrowDown' && e.key !== 'ArrowUp') return;
	const items = all('[data-item]');
	const to = items[items.indexOf(document.activeElement) + (e.key === 'ArrowDown' ? 1 : -1)] || (e.key === 'ArrowUp' && $('search'));
	if (to) { e.preventDefault(); to.focus(); }
});

// The call

const metaOf = (kind, name) => (lists.items[kind] || []).find((i) => i.name === name);

// choose opens an item, or a resource that is in no list.
async function choose(kind, name, value) {
	const data = kind !== 'resource' || metaOf(kind, name) ? await get('item', { kind, name }).then(parse, failed)
		: { item: { uri: name, name, description: 'It is not in the list.' }, form: { kind: 'object' } };
	if (!data) return false;
	const draft = value ?? drafts.get(draftKey(kind, name));
	open = { kind, name, item: data.item, form: data.form, value: draft ?? initial(data.form) ?? {}, call: 0, tab: open?.tab || 'form' };
	if (data.form.kind === 'raw') open.tab = 'raw';
	showItem();
	showList();
	view('item');
	(all('#input ' + inputs)[0] || $('run')).focus();
	return true;
}

// renew shows the open item after the lists have changed, with what the user has typed.
async function renew() {
	if (!open?.form) return;
	const { kind, name } = open;
	const data = await get('item', { kind, name }).then(parse, () => {});
	if (!data || open?.kind !== kind || open.name !== name) return;
	if (open.seen === print([data.item, metaOf(kind, name)], 0)) return;
	open.item = data.item;
	open.form = data.form;
	const at = document.activeElement;
	const { selectionStart, selectionEnd } = at;
	const path = $('input').contains(at) && at.closest('[data-path]')?.dataset.path;
	const nth = path && all(inputs, at.closest('[data-path]')).indexOf(at);
	showItem();
	showOutcome(true);
	const place = typeof path === 'string' && all('#input [data-path]').find((el) => el.dataset.path === path);
	const to = place ? all(inputs, place)[Math.max(0, nth)] : at.id && $(at.id);
	if (to && document.activeElement !== to) {
		to.focus();
		try { to.setSelectionRange(selectionStart, selectionEnd); } catch { /* it has no text */ }
	}
}

function showItem() {
	const { kind, item } = open;
	$('item').dataset.open = draftKey(kind, open.name);
	const meta = metaOf(kind, open.name);
	open.seen = print([item, meta], 0);
	const title = item.title || item.annotations?.title;
	const empty = open.form.kind === 'object' && !(open.form.fields || []).length;
	fill($('item'), $('problem'),
		h('div.bar', h('h2', esc(item.name && kind !== 'resource' && kind !== 'template' ? item.name : item.uri || item.uriTemplate)), meta?.change && tag(meta.change), meta?.hints?.map((t) => tag('', esc(t)))),
		title && title !== item.name && h('p.title', esc(title)),
		item.description && long(item.description, 'p.about', 5000),
		meta?.notes && h('ul.notes', meta.notes.map((n) => h('li', n.kind && tag(n.kind), ' ', n.text))),
		h('form', { id: 'call', autocomplete: 'off', novalidate: true, onsubmit: (e) => { e.preventDefault(); if (valid(e.target)) run(); } },
			kind === 'resource' ? h('details', h('summary', 'Definition'), tree(item))
				: tabs('Arguments', { form: empty ? 'No arguments' : 'Form', raw: 'JSON', schema: 'Definition' }, open.tab, () => 'input', (id) => { open.tab = id; showInput(); }),
			h('div', { id: 'input', role: kind !== 'resource' && 'tabpanel', 'aria-label': 'Arguments' })),
		h('div.bar', { id: 'runbar' }, h('button.primary', { id: 'run', form: 'call' }, verbs[kind]), button('', 'Cancel', stop, { id: 'stop', hidden: true }),
			kind === 'resource' && connection.server?.capabilities.resources?.subscribe && button('', 'Subscribe', () => post('follow', { uri: followed() ? '' : open.name }).catch(failed), { id: 'follow' }), kind !== 'resource' && button('.plain', 'Reset', () => { open.value = initial(open.form) ?? {}; keep(); showInput(); }), h('span.gap'), h('span.problem', { id: 'warn', role: 'alert' }),
			button('.plain', '', () => $('outcome').scrollIntoView({ block: 'start' }), { id: 'verdict', hidden: true, 'aria-live': 'polite' })),
		h('p.quiet', { id: 'followed', role: 'status' }),
		h('div', { id: 'progress', hidden: true }), h('div', { id: 'outcome' }));
	showInput();
	showFollowed();
}

// The resource whose updates the page shows: each is read.

const followed = () => open?.kind === 'resource' && follow?.uri === open.name && follow;

function showFollowed(was) {
	const f = followed();
	say('follow', f ? 'Unsubscribe' : 'Subscribe');
	say('followed', f ? f.problem || (f.updates ? 'Updates: ' + f.updates + ', the last at ' + clock(f.at) : f.active ? 'Waiting for updates.' : 'Subscribing…') : '');
	if (f && was && f.at && f.at !== was.at) run(true, true);
}

function showInput() {
	const box = $('input');
	const change = (v) => { open.value = v ?? {}; keep(); warn(''); };
	if (open.kind === 'resource') return fill(box);
	if (open.tab === 'schema') return fill(box, tree(open.item));
	if (open.tab === 'raw') {
		const area = jsonArea({ id: 'raw', rows: 8, 'aria-label': 'Arguments as JSON', 'aria-describedby': 'raw-problem' }, open.value, change, (text) => { say('raw-problem', text); warn(''); });
		return fill(box, open.form.kind === 'raw' && h('p.quiet', 'No form: ' + open.form.reason + '.'), area, h('p.problem', { role: 'alert', id: 'raw-problem' }));
	}
	const complete = async (argument, value) => (await post('complete', { kind: open.kind, name: open.name, argument, value, given: Object.fromEntries(Object.entries(open.value).filter(([k]) => k !== argument)) })).values || [];
	fill(box, widget(open.form, open.value, change, '', complete));
}

const warn = (text) => say('warn', text);

async function run(anyway = false, update = false) {
	if (!open?.form) return;
	warn('');
	try {
		open.call = (await post('call', { kind: open.kind, name: open.name, anyway, update, arguments: open.value })).call;
		showOutcome();
	} catch (e) {
		$('outcome').classList.add('old'); // of an earlier call
		$('verdict').className = 'plain';
		$('verdict').hidden = !$('outcome').childElementCount;
		say('verdict', 'Earlier result');
		if (e.path === undefined) return warn(e.message);
		const list = [e, ...e.more || []];
		if (open.tab === 'schema') $('tab-form').click();
		if (open.tab === 'form') marks($('input'), list);
		else say('raw-problem', list.map((p) => (p.path ? esc(p.path) + ': ' : '') + p.message).join('\n'));
		warn('Not sent: ' + list.length + (list.length === 1 ? ' mistake' : ' mistakes'));
		$('warn').append(' ', button('.plain', 'Send anyway', () => run(true)));
	}
}

const stop = () => { if (open?.call) post('cancel', { call: open.call }).catch(failed); };

let ticking;
async function showOutcome(again) {
	const id = open?.call;
	const call = id && calls.find((c) => c.id === id);
	if (!call || !$('outcome')) return;
	const running = call.status === 'running';
	$('stop').hidden = !running;
	$('progress').hidden = !running;
	$('run').textContent = verbs[open.kind] + (running ? ' again' : '');
	$('outcome').classList.remove('old');
	$('verdict').hidden = false;
	clearTimeout(ticking);
	if (running) {
		const p = call.progress;
		fill($('progress'), h('progress', { value: p?.total && Math.min(1, p.progress / p.total), max: 1, 'aria-label': 'Progress' }), h('span', time(Date.now() - call.at)), p && h('span', [p.message, p.total ? p.progress + '/' + p.total : !p.message && p.progress].filter(Boolean).join(' · ')),
			!p && Date.now() - call.at > 5000 && quiet('No response and no progress yet.'));
		fill($('outcome'));
		say('verdict', '');
		ticking = setTimeout(showOutcome, 100);
		open.done = 0;
		return;
	}
	const [text, kind] = verdict(call);
	$('verdict').className = 'plain ' + kind;
	say('verdict', text + ' · ' + time(call.took || 0));
	if (open.done === id && !again) return;
	open.done = id;
	const raw = call.kept && await get('result', { call: id }).catch(() => '');
	if (open?.call === id && $('outcome')) fill($('outcome'), result(call, raw, readResource));
}

const readResource = async (uri) => { if (await choose('resource', uri)) run(); };

// History

async function recall(c) {
	const args = await get('arguments', { call: c.id }).then(parse, failed);
	return args && choose(c.kind, c.name, args);
}

function showHistory() {
	if ($('history-pane').hidden) return;
	say('count', calls.length + (calls.length === 1 ? ' call' : ' calls'));
	fill($('history-pane'), calls.length ? h('ul', [...calls].reverse().map((c) => h('li', { class: 'call ' + c.status + (c.isError ? ' bad' : '') },
		h('button.entry', { onclick: async () => {
			if (!await recall(c)) return;
			open.call = c.id;
			showOutcome(true);
		} }, h('span.name', esc(c.name)), tag(c.status === 'running' ? '' : c.status !== 'done' || c.isError ? 'bad' : 'good', c.isError ? 'isError' : c.status), c.check === 'violates' && tag('bad', 'schema'),
		h('span.sub', [clock(c.at), c.took && time(c.took), c.size && size(c.size), c.arguments].filter(Boolean).join(' · '))),
		button('.plain', 'Run again', async () => { if (await recall(c)) run(true); })))) : h('p.quiet', 'No calls yet.'));
}

for (const b of all('[data-show]')) b.addEventListener('click', () => view(b.dataset.show));
view('list');

$('tabs').prepend(tabs('Traffic or history', { traffic: 'Traffic', history: 'History' }, 'traffic', (id) => id + '-pane', (id) => {
	for (const name of ['traffic', 'history']) $(name + '-pane').hidden = name !== id;
	showHistory();
	traffic.plan();
}));

// calm reports whether running the open item changes nothing, as the server says.
const calm = () => open.kind !== 'tool' || metaOf(open.kind, open.name)?.hints?.includes('read-only');

document.addEventListener('keydown', (e) => {
	const el = e.target;
	const typing = el.matches(inputs);
	const asking = $('ask').contains(el);
	if (e.key === '/' && !typing && !asking) {
		e.preventDefault();
		view('list');
		$('search').focus();
	} else if (e.key === 'q' && !typing && !e.ctrlKey && !e.metaKey && !e.altKey) {
		if (asks.visit()) e.preventDefault();
	} else if (e.key === 'Enter' && (e.ctrlKey || e.metaKey)) {
		e.preventDefault();
		(asking ? el.form : $('call'))?.requestSubmit();
	} else if (e.key === 'Enter' && el.form && !e.shiftKey && (el.rows === 1 || el.matches('input'))) {
		e.preventDefault();
		if (el.form.id !== 'call' || calm()) el.form.requestSubmit();
		else warn('Ctrl-Enter runs it: the tool is not marked read-only.');
	} else if (e.key === 'Escape' && !asking && calls.find((c) => c.id === open?.call)?.status === 'running') stop();
});
on('menu', 'click', (e) => e.target.setAttribute('aria-expanded', all('header')[0].classList.toggle('open')));
on('search', 'input', showList);
on('search', 'keydown', (e) => {
	const first = all('[data-item]')[0];
	if (first && e.key === 'ArrowDown') { e.preventDefault(); first.focus(); }
	if (first && e.key === 'Enter') { e.preventDefault(); first.click(); }
});
on('reconnect', 'click', reconnect);
on('compare', 'click', () => {
	open = { kind: 'compare' };
	compare($('problem'), connection.versions, connection.server?.protocolVersion);
	showList();
	view('item');
});
on('version', 'change', (e) => choose_version(e.target.value));
on('clear', 'click', async () => {
	const history = !$('history-pane').hidden;
	await post('clear', { calls: history }).catch(failed);
	if (!history) traffic.reset();
});
on('record', 'click', async () => {
	try {
		const url = URL.createObjectURL(new Blob([await get('recording')], { type: 'text/plain' }));
		h('a', { href: url, download: 'session.mcp' }).click();
		setTimeout(() => URL.revokeObjectURL(url), 10000);
		toast('Saved session.mcp: replay it with "mcpecho serve --replay session.mcp". Look through it before you share it: masking may miss a secret.');
	} catch (e) { failed(e); }
});

traffic.start();
events((name, data) => {
	if (name === 'connection') {
		connection = data;
		showConnection();
		showList();
	}
	if (name === 'followed') {
		const was = follow;
		follow = data;
		showFollowed(was);
	}
	if (name === 'lists') { lists = data; lists.items ||= {}; lists.errors ||= {}; showList(); renew(); }
	if (name === 'asks') asks.show(data, connection.server?.name || connection.target);
	if (name === 'calls') { calls = data; showHistory(); showOutcome(); }
	if (name === 'traffic') traffic.add(data);
}, (state) => {
	if (state === document.body.dataset.stream) return;
	document.body.dataset.stream = state;
	if (state === 'open') return;
	$('status').className = 'failed';
	const ended = state === 'lost';
	say('status-text', ended ? 'mcpecho has ended' : 'no access');
	if (!($('ended').hidden = !ended)) fill($('ended'), 'mcpecho has ended. Start it again, and open the URL that it prints.');
	else document.body.append(h('section', { id: 'refused', role: 'alert' }, h('h2', 'This page has no access'), h('p', 'Open the URL that mcpecho printed when it started. If mcpecho was started again, its earlier pages and tabs no longer work.')));
});
