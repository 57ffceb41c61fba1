// A server on an early version of the official TypeScript SDK, by the name that
// it is installed under: over stdio, or over HTTP+SSE when a port is given.
import { createServer } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [sdk, port] = process.argv.slice(2);
const load = name => import(pathToFileURL(join(process.env.STDMCP_INTEROP, sdk, 'dist', ...early, name)).href);
const early = sdk === 'sdk-1.0.1' ? [] : ['esm']; // later ones have a folder for each kind of module

function make({ Server }, { ListToolsRequestSchema, CallToolRequestSchema }) {
  const server = new Server({ name: sdk, version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, async () => ({
    tools: [
      { name: 'echo', description: 'Echoes', inputSchema: { type: 'object', properties: { message: { type: 'string' } } } },
      { name: 'hello', inputSchema: { type: 'object' } },
    ],
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) =>
    ({ content: [{ type: 'text', text: params.name === 'echo' ? `Echo: ${params.arguments.message}` : 'Hello' }] }));
  return server;
}

const parts = [await load('server/index.js'), await load('types.js')];
if (port === undefined) {
  const { StdioServerTransport } = await load('server/stdio.js');
  await make(...parts).connect(new StdioServerTransport());
} else {
  const { SSEServerTransport } = await load('server/sse.js');
  const open = new Map();
  createServer(async (req, res) => {
    if (req.method === 'GET' && req.url === '/sse') {
      const transport = new SSEServerTransport('/messages', res);
      open.set(transport.sessionId, transport);
      return make(...parts).connect(transport);
    }
    const transport = open.get(new URL(req.url, 'http://none').searchParams.get('sessionId'));
    return transport ? transport.handlePostMessage(req, res) : res.writeHead(404).end();
  }).listen(Number(port), '127.0.0.1');
}
