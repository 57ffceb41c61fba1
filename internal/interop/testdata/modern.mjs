// A server of both eras on the official TypeScript SDK, over stdio, or over
// HTTP when a port is given. It prints the port when that was 0.
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

// The packages are not beside this file: they are where the tests say.
const require = createRequire(process.env.STDMCP_INTEROP + '/');
const load = name => import(pathToFileURL(require.resolve(name)).href);
const { McpServer, ResourceTemplate, createMcpHandler } = await load('@modelcontextprotocol/server');
const { serveStdio } = await load('@modelcontextprotocol/server/stdio');
const { z } = await load('zod');

const text = s => ({ content: [{ type: 'text', text: s }] });

function factory() {
  const server = new McpServer({ name: 'modern', version: '1.0.0' }, { capabilities: { logging: {} } });
  server.registerTool('echo', { description: 'Echoes', inputSchema: z.object({ message: z.string() }) },
    async ({ message }) => text(`Echo: ${message}`));
  server.registerTool('add', {
    description: 'Adds',
    inputSchema: z.object({ a: z.number(), b: z.number() }),
    outputSchema: z.object({ sum: z.number() }),
  }, async ({ a, b }) => ({ ...text(String(a + b)), structuredContent: { sum: a + b } }));
  server.registerTool('slow', { description: 'Takes its time', inputSchema: z.object({ steps: z.number() }) },
    async ({ steps }, ctx) => {
      const token = ctx.mcpReq._meta?.progressToken;
      for (let i = 1; i <= steps; i++) {
        await new Promise(done => setTimeout(done, 50));
        if (token !== undefined) {
          await ctx.mcpReq.notify({ method: 'notifications/progress', params: { progressToken: token, progress: i, total: steps } });
        }
      }
      return text('done');
    });
  server.registerResource('note', 'note://1', { mimeType: 'text/plain' },
    async uri => ({ contents: [{ uri: uri.href, text: 'a note' }] }));
  server.registerResource('greeting', new ResourceTemplate('greeting://{name}', { list: undefined }), {},
    async (uri, { name }) => ({ contents: [{ uri: uri.href, text: `Hello, ${name}` }] }));
  server.registerPrompt('ask', { argsSchema: z.object({ topic: z.string() }) },
    ({ topic }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `About ${topic}?` } }] }));
  return server;
}

const legacy = process.env.ONLY_MODERN ? 'reject' : undefined;
if (process.argv[2] === undefined) {
  serveStdio(factory, legacy ? { legacy } : {});
} else {
  const { toNodeHandler } = await load('@modelcontextprotocol/node');
  const handler = toNodeHandler(createMcpHandler(factory, legacy ? { legacy } : {}));
  const http = createServer((req, res) => handler(req, res));
  http.listen(Number(process.argv[2]), '127.0.0.1', () => console.log(http.address().port));
}
