// Forms, made from the fields that mcpecho reads from a schema.
import { all, inputs, h, button, fill, esc, own, long } from './dom.js';
import { Num, parse, print, isObject, put } from './json.js';

let ids = 0;
const escape = (key) => String(key).replaceAll('~', '~0').replaceAll('/', '~1');

// initial returns the value of a field at first, or undefined.
export function initial(f) {
	if (f.default !== undefined) return f.default;
	if (f.kind === 'object') {
		const o = {};
		for (const child of f.fields || []) {
			const v = child.required || child.default !== undefined ? initial(child) : undefined;
			if (v !== undefined) put(o, child.key, v);
		}
		return o;
	}
	if (!f.required) return undefined;
	if (f.kind === 'boolean') return false;
	if (f.kind === 'null') return null;
	if (f.kind === 'enum' && f.options.length === 1) return f.options[0].value;
	if (f.kind === 'choice') return initial({ ...f.choices[0], required: true }); // which is shown
	if (f.kind === 'array' || f.kind === 'multi') return [];
	return undefined;
}

// valid reports whether a form has no invalid JSON, and goes to the first.
export function valid(form) {
	const bad = form.querySelector('textarea:invalid');
	bad?.focus();
	return !bad;
}

// jsonArea makes a field for JSON, which is invalid for valid while its text is.
export function jsonArea(props, value, set, say) {
	const area = h('textarea.code', { value: value === undefined ? '' : print(value), ...props, oninput: () => {
		let problem = '';
		try { set(area.value.trim() ? parse(area.value) : undefined); } catch (e) { problem = e.message; }
		say(problem);
		area.setCustomValidity(problem);
	} });
	return area;
}

const same = (a, b) => print(a, 0) === print(b, 0);

// fits reports whether a value can be shown by a field.
function fits(f, v) {
	switch (f.kind) {
		case 'string': return typeof v === 'string';
		case 'number': case 'integer': return typeof v === 'number' || v instanceof Num;
		case 'boolean': return typeof v === 'boolean';
		case 'null': return v === null;
		case 'object': return isObject(v) && (f.fields || []).every((c) => own(v, c.key) === undefined ? !c.required : fits(c, own(v, c.key)));
		case 'array': case 'multi': return Array.isArray(v);
		case 'enum': return f.options.some((o) => same(o.value, v));
		case 'choice': return f.choices.some((c) => fits(c, v));
	}
	return true;
}

// widget returns the element of a field. set(value) is called when the user changes it;
// undefined means that there is no value. complete(name, value) returns completions.
export function widget(f, value, set, path, complete) {
	const id = 'f' + ++ids;
	const label = f.title && f.title !== f.key && f.key && !f.lines ? [esc(f.title), ' ', h('code', esc(f.key))] : esc(f.title || f.key);
	const hint = [f.rules, f.kind === 'raw' ? f.reason : ''].filter(Boolean).join('; ');
	const problem = h('p.problem', { id: id + 'p', role: 'alert' });
	const notes = [f.description && h('div', { id: id + 'd' }, long(f.description, 'p.about', 2000)), hint && h('p.quiet', { id: id + 'h' }, hint), problem];
	const common = { id, 'aria-describedby': [f.description && id + 'd', hint && id + 'h', id + 'p'].filter(Boolean).join(' '), 'aria-required': f.required && 'true' };
	const kind = h('span.type', (f.kind === 'raw' ? 'JSON' : f.kind === 'multi' ? 'list' : f.format || f.kind) + (f.required ? '' : ', optional'));
	const heading = [label, ' ', kind, f.required && h('b.star', { 'aria-hidden': 'true' }, '*')];
	const group = (body) => h('fieldset.field', { 'data-path': path }, (f.key || f.title) && h('legend', heading), notes, body);
	const check = (checked, change) => h('div.field', { 'data-path': path }, h('label', h('input', { ...common, type: 'checkbox', checked, onchange: (e) => change(e.target.checked) }), heading), notes);
	const line = (input) => h('div.field' + (f.lines ? '.wide' : ''), { 'data-path': path },
		(f.key || f.title) && h('label', { for: id }, heading), input, notes);
	const say = (text) => { problem.textContent = text; };

	switch (f.kind) {
		case 'object': {
			const o = {};
			if (isObject(value)) for (const k of Object.keys(value)) put(o, k, value[k]);
			const body = h('div.fields', (f.fields || []).map((c) => widget(c, own(o, c.key), (v) => {
				if (v === undefined) delete o[c.key]; else put(o, c.key, v);
				set(o);
			}, path + '/' + escape(c.key), complete)));
			if (path === '') return h('div', { 'data-path': '' }, body, problem);
			return group(body);
		}
		case 'array': {
			let list = Array.isArray(value) ? [...value] : [];
			const body = h('div.fields');
			const render = () => fill(body, list.map((v, i) => h('div.element',
				widget({ ...f.item, required: true, title: f.item.title || String(i + 1) }, v, (now) => { list[i] = now === undefined ? (f.item.kind === 'string' ? '' : null) : now; set([...list]); }, path + '/' + i, complete),
				button('.plain', '✕', () => { list = list.filter((_, j) => j !== i); set(list.length || f.required ? [...list] : undefined); render(); }, { 'aria-label': 'Remove element ' + (i + 1) + ' of ' + (f.key || 'the list') }))),
			button('', 'Add', () => {
				const first = initial({ ...f.item, required: true });
				list.push(first === undefined ? (f.item.kind === 'string' ? '' : null) : first);
				set([...list]);
				render();
				all('.element:last-of-type ' + inputs, body)[0]?.focus();
			}));
			render();
			return group(body);
		}
		case 'multi': {
			const chosen = new Set((Array.isArray(value) ? value : []).map((v) => print(v, 0)));
			return group(h('div.options', f.options.map((o) => {
				const text = print(o.value, 0);
				return h('label', h('input', { type: 'checkbox', checked: chosen.has(text), onchange: (e) => {
					if (e.target.checked) chosen.add(text); else chosen.delete(text);
					const now = f.options.filter((p) => chosen.has(print(p.value, 0))).map((p) => p.value);
					set(now.length || f.required ? now : undefined);
				} }), esc(o.title || textOf(o.value)));
			})));
		}
		case 'choice': {
			let at = value === undefined ? -1 : f.choices.findIndex((c) => fits(c, value));
			if (at < 0 && (f.required || value !== undefined)) at = 0;
			const body = h('div.fields');
			const render = (v) => fill(body, at >= 0 && widget({ ...f.choices[at], title: '', key: '', required: true }, v, set, path, complete));
			const select = h('select', { ...common, 'aria-label': (f.key || f.title || 'value') + ': which', onchange: () => {
				at = Number(select.value);
				const v = at < 0 ? undefined : initial({ ...f.choices[at], required: true });
				set(v);
				render(v);
			} }, !f.required && h('option', { value: -1 }, 'not set'), f.choices.map((c, i) => h('option', { value: i }, esc(c.title))));
			select.value = at;
			render(value);
			return group([select, body]);
		}
		case 'enum': {
			const select = h('select', { ...common, onchange: () => set(select.value === '' ? undefined : f.options[select.value].value) },
				(!f.required || f.options.length > 1) && h('option', { value: '' }, 'not set'), f.options.map((o, i) => h('option', { value: i }, esc(o.title || textOf(o.value)))));
			const at = value === undefined ? -1 : f.options.findIndex((o) => same(o.value, value));
			select.value = at < 0 ? '' : at;
			return line(select);
		}
		case 'boolean': {
			if (f.required) return check(value === true, set);
			return widget({ ...f, kind: 'enum', format: f.kind, options: [{ value: true }, { value: false }] }, value, set, path);
		}
		case 'null': return check(value === null, (on) => set(on ? null : undefined));
		case 'number': case 'integer': {
			return line(h('input', { ...common, inputmode: 'decimal', value: value === undefined || value === null ? '' : value instanceof Num ? value.source : String(value), oninput: (e) => {
				const text = e.target.value.trim();
				const ok = f.kind === 'integer' ? /^-?(0|[1-9]\d*)$/ : /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
				say(text === '' || ok.test(text) ? '' : 'must be ' + (f.kind === 'integer' ? 'an integer' : 'a number'));
				set(text === '' ? undefined : ok.test(text) ? parse(text) : text);
			} }));
		}
		case 'string': {
			const box = /^(date|time|date-time|email|uri|url|uuid|ipv4|ipv6|hostname)$/.test(f.format || '') || f.complete;
			const date = f.format === 'date' && (value === undefined || /^\d{4}-\d\d-\d\d$/.test(value));
			const input = h(box ? 'input' : 'textarea', { ...common, type: date && 'date', rows: box ? null : f.lines || 1, value: typeof value === 'string' ? value : value === undefined ? '' : print(value, 0),
				oninput: () => { say(''); set(input.value === '' ? undefined : input.value); suggest(); } });
			const list = f.complete && h('datalist', { id: id + 'l' });
			let turn = 0;
			const suggest = async () => {
				const mine = ++turn;
				if (!list || !complete) return;
				const values = await complete(f.key, input.value).catch(() => []);
				if (mine === turn) fill(list, values.map((v) => h('option', { value: v })));
			};
			if (list) {
				input.setAttribute('list', id + 'l');
				input.addEventListener('focus', suggest, { once: true });
			}
			return line([input, list].filter(Boolean));
		}
	}
	return line(jsonArea({ ...common, rows: 3, 'aria-label': f.key || 'JSON' }, value, set, say));
}

const textOf = (v) => typeof v === 'string' ? v : print(v, 0);

// marks shows everything that is wrong, and goes to the first place.
export function marks(form, list) {
	for (const p of all('.problem', form)) p.textContent = '';
	for (const el of all('[aria-invalid]', form)) el.removeAttribute('aria-invalid');
	const found = list.map((e) => mark(form, e.path, e.message));
	all('[aria-invalid]', form)[0]?.focus();
	return found.every(Boolean);
}

// A problem is gone when the user changes its field.
addEventListener('input', (e) => {
	e.target.removeAttribute('aria-invalid');
	const p = e.target.closest('[data-path]')?.querySelector('.problem');
	if (p && !e.target.validity?.customError && e.target.inputMode !== 'decimal') p.textContent = '';
}, true);

// mark shows what is wrong at a JSON pointer, and returns false if the form has no such
// place.
function mark(form, path, text) {
	for (let at = path || ''; ; at = at.slice(0, at.lastIndexOf('/'))) {
		const places = all('[data-path]', form);
		const place = places.findLast((el) => el.dataset.path === at);
		if (place) {
			const missing = at === path && /^("(?:[^"\\]|\\.)*") is missing$/.exec(text);
			const child = missing && places.find((el) => el.dataset.path === at + '/' + escape(JSON.parse(missing[1])));
			const where = child || place;
			where.querySelector('.problem').textContent = child ? 'is required' : (at === path ? '' : path + ': ') + text;
			const input = all(inputs, where)[0];
			input?.setAttribute('aria-invalid', 'true');
			return true;
		}
		if (at === '') return false;
	}
}
