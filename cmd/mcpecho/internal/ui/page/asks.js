// Questions of the server: a dialog that blocks the page until the user answers.
import { $, h, button, quiet, fill, toast } from './dom.js';
import { print, parse } from './json.js';
import { widget, initial, mark } from './form.js';
import { message } from './result.js';
import { post } from './api.js';

const dialog = $('ask');
let current = 0;

const titles = { form: 'The server asks you', url: 'The server asks you to open a page', sampling: 'The server asks for a model' };

export function show(asks, server) {
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
			await post('answer', '{"ask":' + a.id + ',"action":' + JSON.stringify(action) + ',"value":' + (value === undefined ? 'null' : print(value, 0)) + '}');
		} catch (e) {
			problem.textContent = '';
			if (!form || e.path === undefined || !mark(form, e.path, e.message)) problem.textContent = e.message;
		}
	};
	let form;
	const body = [];
	let accept = () => reply('accept');
	let word = 'Accept';
	if (a.kind === 'form') {
		let value = initial(a.form) ?? {};
		form = h('form', { onsubmit: (e) => { e.preventDefault(); accept(); } }, widget(a.form, value, (v) => { value = v; }, ''), h('button', { hidden: true }));
		body.push(h('p.ask-text', a.message), form);
		accept = () => reply('accept', value ?? {});
		word = 'Send';
	} else if (a.kind === 'url') {
		body.push(h('p.ask-text', a.message), h('p', 'Host: ', h('b.host', a.host)), h('p', h('code.url', a.url)),
			a.punycode && h('p.problem', 'The name of the host contains characters that may imitate another name.'));
		accept = () => {
			let u = null;
			try { u = new URL(a.url); } catch { /* not a URL */ }
			if (!u || !['http:', 'https:'].includes(u.protocol)) { problem.textContent = 'The page opens only http and https URLs.'; return; }
			window.open(u.href, '_blank', 'noopener,noreferrer');
			reply('accept');
		};
		word = 'Open ' + a.host;
	} else {
		const p = a.params || {};
		const textarea = h('textarea', { id: 'sample', rows: 5 });
		const model = h('input', { id: 'model', value: 'human', autocomplete: 'off' });
		const raw = h('textarea', { id: 'sample-raw', rows: 8, class: 'code', spellcheck: 'false' });
		const made = () => ({ role: 'assistant', model: model.value || 'human', stopReason: 'endTurn', content: { type: 'text', text: textarea.value } });
		const rawBox = h('details', h('summary', 'Answer in JSON'), raw);
		rawBox.addEventListener('toggle', () => { if (rawBox.open) raw.value = print(made()); });
		body.push(p.systemPrompt && h('p.about', p.systemPrompt), (p.messages || []).map(message),
			h('p.quiet', [p.maxTokens && 'at most ' + p.maxTokens + ' tokens', p.tools && p.tools.length + ' tools', p.temperature !== undefined && 'temperature ' + p.temperature].filter(Boolean).join(', ')),
			h('label', { for: 'sample' }, 'Your answer for the model'), textarea, h('label', { for: 'model' }, 'Name of the model'), model, rawBox);
		accept = () => {
			let v = made();
			if (rawBox.open) try { v = parse(raw.value); } catch (e) { problem.textContent = 'not valid JSON: ' + e.message; return; }
			reply('accept', v);
		};
		word = 'Send';
	}
	fill(dialog, h('h2', { id: 'ask-title' }, titles[a.kind] || titles.form), h('p.quiet', server, asks.length > 1 ? ' · ' + (asks.length - 1) + ' more waiting' : ''), body, problem,
		h('div.bar', button('.primary', word, () => accept()), button('', 'Decline', () => reply('decline')), h('span.gap'), a.kind !== 'sampling' && button('.plain', 'Cancel', () => reply('cancel'))));
	if (!dialog.open) dialog.showModal();
	(dialog.querySelector('input,textarea,select') || dialog.querySelector('button'))?.focus();
	dialog.oncancel = (e) => { e.preventDefault(); reply('cancel'); };
}
