// Questions of the server, beside the page: no key that is meant for the page answers one.
import { $, all, h, button, quiet, fill, esc, long, some } from './dom.js';
import { widget, initial, marks, valid } from './form.js';
import { message } from './result.js';
import { post } from './api.js';

const dialog = $('ask');
const settled = 500; // milliseconds before a click answers a question that has appeared under the pointer
let current = 0;
let pointer = { x: -1, y: -1 };
for (const name of ['pointermove', 'pointerdown']) addEventListener(name, ({ x, y }) => { pointer = { x, y }; }, true);

const titles = { form: 'The server asks you', url: 'The server asks you to open a page', sampling: 'The server asks for a model' };

// sample is the form for an answer in place of a model's.
const sample = { kind: 'object', fields: [
	{ key: 'text', title: 'Your answer as the model', kind: 'string', required: true, lines: 5 },
	{ key: 'CreateMessageResult', title: 'Or the whole result', kind: 'raw' },
] };

export function show({ asks, more }, server) {
	const a = asks[0];
	if (!a) {
		dialog.open = false;
		current = 0;
		return;
	}
	const waiting = more ? ' · ' + more + ' more waiting' : '';
	if (a.id === current) {
		$('ask-more').textContent = waiting;
		return;
	}
	current = a.id;
	const since = performance.now();
	const early = () => under && performance.now() - since < settled;
	const problem = h('p.problem', { role: 'alert' });
	const reply = async (action, value) => {
		if (current !== a.id || early()) return;
		problem.textContent = '';
		try {
			await post('answer', { ask: a.id, action, value: value ?? null });
		} catch (e) { refused(e); }
	};
	const refused = (e) => {
		if (!form || e.path === undefined || !marks(form, [e, ...e.more || []])) problem.textContent = e.message;
	};
	let form;
	const body = [];
	const ask = (field, answer) => {
		let value = initial(field) ?? {};
		form = h('form', { novalidate: true, onsubmit: (e) => { e.preventDefault(); if (valid(form)) accept(); } }, widget(field, value, (v) => { value = v; }, ''));
		accept = () => reply('accept', answer(value ?? {}));
	};
	let accept = () => {
		let u = null;
		if (early()) return;
		try { u = new URL(a.url); } catch { /* not a URL */ }
		if (!u || !['http:', 'https:'].includes(u.protocol)) { problem.textContent = 'The page opens only http and https URLs.'; return; }
		window.open(u.href, '_blank', 'noopener,noreferrer');
		reply('accept');
	};
	if (a.kind === 'form') {
		ask(a.form, (v) => v);
		body.push(long(a.message, 'p.ask-text', 5000), form);
	} else if (a.kind === 'url') {
		body.push(long(a.message, 'p.ask-text', 5000), h('p', 'Host: ', h('b', esc(a.host))), h('p', h('code', esc(a.url, 5000))),
			a.punycode && h('p.problem', 'The name of the host contains characters that may imitate another name.'));
	} else {
		const p = a.params || {};
		ask(sample, (v) => v.CreateMessageResult ?? { role: 'assistant', model: 'human', stopReason: 'endTurn', content: { type: 'text', text: v.text } });
		const send = accept;
		accept = () => all('textarea', form).some((el) => el.value.trim()) ? send() : refused({ path: '', message: '"text" is missing' });
		body.push(p.systemPrompt && long(p.systemPrompt, 'p.about', 5000), some(p.messages || [], 50, message),
			h('p.quiet', [p.maxTokens && 'at most ' + p.maxTokens + ' tokens', p.tools && p.tools.length + ' tools', p.temperature !== undefined && 'temperature ' + p.temperature].filter(Boolean).join(', ')), form);
	}
	fill(dialog, h('h2', { id: 'ask-title' }, titles[a.kind]), h('p.quiet', esc(server), h('span', { id: 'ask-more' }, waiting)), body, problem,
		h('div.bar', button('.primary', a.host ? 'Open ' + esc(a.host) : 'Send', () => form ? form.requestSubmit() : accept()), button('', 'Decline', () => reply('decline')), h('span.gap'), a.kind !== 'sampling' && button('.plain', 'Cancel', () => reply('cancel'))));
	dialog.open = true; // show and showModal would move the focus
	const box = dialog.getBoundingClientRect();
	const under = pointer.x >= box.left && pointer.x <= box.right && pointer.y >= box.top && pointer.y <= box.bottom;
	dialog.onkeydown = (e) => {
		if (e.key !== 'Escape') return;
		e.stopPropagation();
		reply('cancel');
	};
}

// visit goes to the question that is shown, and reports whether there is one.
export function visit() {
	if (dialog.open) dialog.focus(); // and not its first field: the user may be typing a word
	return dialog.open;
}
