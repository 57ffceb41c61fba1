// Questions of the server: a dialog that blocks the page until the user answers.
import { $, all, inputs, h, button, quiet, fill } from './dom.js';
import { widget, initial, mark } from './form.js';
import { message } from './result.js';
import { post } from './api.js';

const dialog = $('ask');
let current = 0;

const titles = { form: 'The server asks you', url: 'The server asks you to open a page', sampling: 'The server asks for a model' };

// sample is the form for an answer in place of a model's.
const sample = { kind: 'object', fields: [
	{ key: 'text', title: 'Your answer for the model', kind: 'string', required: true, default: '' },
	{ key: 'model', title: 'Name of the model', kind: 'string', required: true, default: 'human' },
	{ key: 'result', title: 'The whole result, in place of these', kind: 'raw' },
] };

export function show({ asks, more }, server) {
	const a = asks[0];
	if (!a) {
		if (current) dialog.close();
		current = 0;
		return;
	}
	if (a.id === current) return;
	current = a.id;
	const problem = h('p.problem', { role: 'alert' });
	const reply = async (action, value) => {
		try {
			await post('answer', { ask: a.id, action, value: value ?? null });
		} catch (e) {
			problem.textContent = '';
			if (!form || e.path === undefined || !mark(form, e.path, e.message)) problem.textContent = e.message;
		}
	};
	let form;
	const body = [];
	const ask = (field, answer) => {
		let value = initial(field) ?? {};
		form = h('form', { onsubmit: (e) => { e.preventDefault(); accept(); } }, widget(field, value, (v) => { value = v; }, ''), h('button', { hidden: true }));
		accept = () => reply('accept', answer(value ?? {}));
	};
	let accept = () => {
		let u = null;
		try { u = new URL(a.url); } catch { /* not a URL */ }
		if (!u || !['http:', 'https:'].includes(u.protocol)) { problem.textContent = 'The page opens only http and https URLs.'; return; }
		window.open(u.href, '_blank', 'noopener,noreferrer');
		reply('accept');
	};
	if (a.kind === 'form') {
		ask(a.form, (v) => v);
		body.push(h('p.ask-text', a.message), form);
	} else if (a.kind === 'url') {
		body.push(h('p.ask-text', a.message), h('p', 'Host: ', h('b', a.host)), h('p', h('code', a.url)),
			a.punycode && h('p.problem', 'The name of the host contains characters that may imitate another name.'));
	} else {
		const p = a.params || {};
		ask(sample, (v) => v.result ?? { role: 'assistant', model: v.model, stopReason: 'endTurn', content: { type: 'text', text: v.text } });
		body.push(p.systemPrompt && h('p.about', p.systemPrompt), (p.messages || []).map(message),
			h('p.quiet', [p.maxTokens && 'at most ' + p.maxTokens + ' tokens', p.tools && p.tools.length + ' tools', p.temperature !== undefined && 'temperature ' + p.temperature].filter(Boolean).join(', ')), form);
	}
	fill(dialog, h('h2', { id: 'ask-title' }, titles[a.kind] || titles.form), h('p.quiet', server, more ? ' · ' + more + ' more waiting' : ''), body, problem,
		h('div.bar', button('.primary', a.host ? 'Open ' + a.host : 'Send', () => form ? form.requestSubmit() : accept()), button('', 'Decline', () => reply('decline')), h('span.gap'), a.kind !== 'sampling' && button('.plain', 'Cancel', () => reply('cancel'))));
	if (!dialog.open) dialog.showModal();
	(all(inputs, dialog)[0] || all('button', dialog)[0]).focus();
	dialog.oncancel = (e) => { e.preventDefault(); reply('cancel'); };
}
