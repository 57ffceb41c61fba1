// What the server offers with two protocol versions, side by side.
import { $, h, tag, quiet, fill, esc, cut, some } from './dom.js';
import { post } from './api.js';

export const eras = (versions) => [['modern era', (v) => v >= '2026'], ['legacy era', (v) => v < '2026']].map(([label, f]) =>
	h('optgroup', { label }, versions.filter(f).map((v) => h('option', { value: v }, v))));

export function compare(problem, versions, now) {
	const choice = (value) => Object.assign(h('select', eras(versions)), { value });
	const from = choice([now, ...versions].find((v) => v < '2026'));
	const to = choice(versions[0]);
	const outcome = h('div', { id: 'compared', role: 'status' });
	let turn = 0;
	const run = async (e) => {
		e.preventDefault();
		const mine = ++turn;
		const names = ['Difference', from.value, to.value];
		fill(outcome, quiet('mcpecho connects with each of the two versions…'));
		let body;
		try {
			const { changes } = await post('compare', { old: from.value, new: to.value });
			body = changes.length ? h('table', h('tr', names.map((t) => h('th', { scope: 'col' }, t))), some(changes, 500, (c) => h('tr',
				h('td', tag(c.kind), ' ', h('b', esc(c.item)), c.path && [' ', h('code', esc(c.path))], ' ', cut(c.text, 2000)), h('td', h('code', cut(c.old, 2000))), h('td', h('code', cut(c.new, 2000))))))
				: h('p', 'No difference.');
		} catch (e) { body = h('pre.text.bad', e.message); }
		if (mine === turn) fill(outcome, body);
	};
	fill($('item'), problem, h('h2', 'Compare two protocol versions'), h('form.bar', { onsubmit: run }, h('label', 'From ', from), h('label', 'to ', to), h('button.primary', 'Compare')), outcome);
	$('item').dataset.open = 'compare';
	from.focus();
}
