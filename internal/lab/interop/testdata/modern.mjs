// A server of both eras that uses the official TypeScript SDK, over stdio, or over
// HTTP if a port is given. If the port is 0 it prints the one that it uses.
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

// STDMCP_INTEROP is the folder of the packages.
const require = createRequire(process.env.STDMCP_INTEROP + '/');
const load = name => import(pathToFileURL(require.resolve(name)).href);
const { McpServer, ResourceTemplate, createMcpHandler, inputRequired } = await load('@modelcontextprotocol/server');
const { serveStdio } = await load('@modelcontextprotocol/server/stdio');
const { z } = await load('zod');

// asks returns a handler that requires inputs of the client, and then passes on the responses.
const asks = (inputRequests, then) => (...args) => {
  const { inputResponses } = args.at(-1).mcpReq;
  return inputResponses ? then(JSON.stringify(inputResponses)) : inputRequired({ inputRequests, requestState: ' "as it is" \u2028' });
};

const form = inputRequired.elicit({
  message: 'Who are you?',
  requestedSchema: z.object({ name: z.string(), color: z.enum(['red', 'green']).default('green') }),
});

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
  server.registerTool('slow', { description: 'Takes its time', inputSchema: z.object({ steps: z.number(), wait: z.number().optional() }) },
    async ({ steps, wait = 50 }, ctx) => {
      const token = ctx.mcpReq._meta?.progressToken;
      for (let i = 1; i <= steps; i++) {
        await new Promise(done => setTimeout(done, wait));
        if (token !== undefined) {
          await ctx.mcpReq.notify({ method: 'notifications/progress', params: { progressToken: token, progress: i, total: steps } });
        }
      }
      return text('done');
    });
  server.registerTool('interview', { description: 'Asks everything', inputSchema: z.object({}) }, asks({
    form,
    page: inputRequired.elicitUrl({ message: 'Log in', url: 'https://example.com/login' }),
    model: inputRequired.createMessage({ maxTokens: 7, messages: [{ role: 'user', content: { type: 'text', text: 'Polly?' } }] }),
    roots: inputRequired.listRoots(),
  }, text));
  server.registerPrompt('introduce', {}, asks({ form }, s => ({ messages: [{ role: 'user', content: { type: 'text', text: s } }] })));
  server.registerResource('me', 'me://1', {}, asks({ form }, s => ({ contents: [{ uri: 'me://1', text: s }] })));
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
