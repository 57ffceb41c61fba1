// Requests to mcpecho. The token comes in the fragment of the URL, which is removed at
// once, and stays in this tab.
import { print, parse } from './json.js';

const key = 'mcpecho-token';
let token = location.hash.slice(1);
if (token) {
	history.replaceState(null, '', location.pathname);
	sessionStorage.setItem(key, token);
} else {
	token = sessionStorage.getItem(key) || '';
}
addEventListener('hashchange', () => location.reload());

async function send(path, options = {}) {
	options.headers = { ...options.headers, 'Mcpecho-Token': token };
	const res = await fetch(path, options);
	if (res.ok) return res;
	const text = await res.text();
	let answer = { error: text.trim() };
	try { answer = JSON.parse(text); } catch { /* it is text */ }
	throw Object.assign(new Error(answer.error), { refused: true, path: answer.path, more: answer.more });
}

const query = (path, params) => '/api/' + path + '?' + new URLSearchParams(params);
export const get = async (path, params) => (await send(query(path, params))).text();
export const post = async (path, value = {}) =>
	(await send('/api/' + path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: print(value, 0) })).json();

// events calls on(name, data) for each event, also after an interruption of the stream,
// until mcpecho refuses the token.
export async function events(on, state) {
	for (let wait = 250; ; wait = Math.min(2 * wait, 4000)) {
		try {
			const res = await send('/api/events');
			state('open');
			wait = 250;
			const reader = res.body.pipeThrough(new TextDecoderStream()).getReader();
			for (let rest = [], name; ;) { // the pieces of a line, which may be long
				const { done, value } = await reader.read();
				if (done) break;
				const lines = value.split('\n');
				rest.push(lines[0]);
				for (const next of lines.slice(1)) {
					const line = rest.join('');
					rest = [next];
					if (line.startsWith('event: ')) name = line.slice(7);
					else if (line.startsWith('data: ')) on(name, (name === 'asks' ? parse : JSON.parse)(line.slice(6))); // with the digits of a default
				}
			}
		} catch (e) {
			if (e.refused) return state('refused');
		}
		state('lost');
		await new Promise((next) => setTimeout(next, wait));
	}
}
