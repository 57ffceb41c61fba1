// The official TypeScript client, for zoo_test.go. Each line of standard input
// is a job: {transport, command, env, dir, url, calls}. The client connects, lists
// the tools, makes the calls and closes; the answer is one line with what it got
// and how many milliseconds connecting took.
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

// The packages are not beside this file: they are where the tests say.
const require = createRequire(process.env.STDMCP_INTEROP + '/');
const load = name => import(pathToFileURL(require.resolve(name)).href);
const { Client, StreamableHTTPClientTransport, SSEClientTransport } = await load('@modelcontextprotocol/client');
const { StdioClientTransport } = await load('@modelcontextprotocol/client/stdio');

function transport({ transport, command, env, dir, url }) {
  switch (transport) {
    case 'http': return new StreamableHTTPClientTransport(new URL(url));
    case 'sse': return new SSEClientTransport(new URL(url));
  }
  return new StdioClientTransport({ command: command[0], args: command.slice(1), env, cwd: dir, stderr: 'ignore' });
}

async function run(job, mode = 'auto') {
  const client = new Client({ name: 'zoo', version: '1.0.0' }, { versionNegotiation: { mode } });
  const out = { mode };
  try {
    const began = performance.now();
    await client.connect(transport(job));
    out.ms = performance.now() - began;
    out.server = client.getServerVersion();
    out.tools = (await client.listTools()).tools;
    out.calls = [];
    for (const call of job.calls ?? []) {
      try {
        out.calls.push({ result: await client.callTool(call) });
      } catch (e) {
        out.calls.push({ error: { code: e.code, message: e.message } });
      }
    }
  } catch (e) {
    out.problem = String(e);
  }
  await client.close().catch(() => {});
  // Where its own negotiation fails, it may still know the older way.
  return out.problem && mode === 'auto' ? run(job, 'legacy') : out;
}

for await (const line of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(await run(JSON.parse(line))));
}
process.exit(0);
