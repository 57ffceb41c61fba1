// A server on a framework by others: over HTTP if a port is given, else over stdio.
// The last two frameworks are gateways to modern.mjs.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, get } from 'node:http';
import { createRequire } from 'node:module';
import { connect, createServer as createTCP } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const [framework, port, mode] = process.argv.slice(2);
const at = { port: Number(port), host: '127.0.0.1' };
const folder = process.env.STDMCP_INTEROP;
const require = createRequire(folder + '/');
const load = name => import(pathToFileURL(require.resolve(name)).href);
const file = name => import(pathToFileURL(join(folder, name)).href); // of packages that require cannot resolve

const { z } = await load('zod');
const info = { name: framework, version: '1.0.0' };
const description = 'Adds';
const numbers = { a: z.number(), b: z.number() };
const add = ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] });

// listen serves a function from Request to Response.
async function listen(fetch) {
  const { serve } = await load('@hono/node-server');
  serve({ fetch, port: at.port, hostname: at.host });
}

// official returns a function that makes servers on the first generation of the official SDK.
async function official() {
  const { McpServer } = await load('@modelcontextprotocol/sdk/server/mcp.js');
  return () => {
    const server = new McpServer(info);
    server.registerTool('add', { description, inputSchema: numbers }, add);
    return server;
  };
}

const modern = fileURLToPath(new URL('modern.mjs', import.meta.url));

const frameworks = {
  async tmcp() {
    const { McpServer } = await file('tmcp/src/index.js');
    const { ZodJsonSchemaAdapter } = await file('@tmcp/adapter-zod/src/index.js');
    const server = new McpServer(info, { adapter: new ZodJsonSchemaAdapter(), capabilities: { tools: { listChanged: true } } });
    server.tool({ name: 'add', description, schema: z.object(numbers) }, add);
    if (port) {
      const { HttpTransport } = await file('@tmcp/transport-http/src/index.js');
      const transport = new HttpTransport(server, { path: '/mcp' });
      return listen(async req => await transport.respond(req) ?? new Response(null, { status: 404 }));
    }
    const { StdioTransport } = await file('@tmcp/transport-stdio/src/index.js');
    new StdioTransport(server).listen();
  },
  async fastmcp() {
    const { FastMCP } = await file('fastmcp/dist/FastMCP.js');
    const server = new FastMCP(info);
    server.addTool({ name: 'add', description, parameters: z.object(numbers), execute: async ({ a, b }) => String(a + b) });
    await server.start(port ? { transportType: 'httpStream', httpStream: at } : { transportType: 'stdio' });
  },
  async litemcp() {
    const { LiteMCP } = await load('litemcp');
    const { z } = await load('zod/v3'); // it does not know later versions
    const server = new LiteMCP(info.name, info.version);
    server.addTool({ name: 'add', description, parameters: z.object({ a: z.number(), b: z.number() }), execute: async ({ a, b }) => a + b });
    await server.start(port ? { transportType: 'sse', sse: { endpoint: '/sse', port: at.port } } : undefined);
  },
  async 'mcp-lite'() {
    const { McpServer, StreamableHttpTransport } = await file('mcp-lite/dist/index.js');
    const server = new McpServer({ ...info, schemaAdapter: schema => z.toJSONSchema(schema) });
    server.tool('add', { description, inputSchema: z.object(numbers), handler: add });
    await listen(new StreamableHttpTransport().bind(server));
  },
  async 'mcp-handler'() {
    const { createMcpHandler } = await load('mcp-handler');
    await listen(createMcpHandler(server => server.registerTool('add', { description, inputSchema: z.object(numbers) }, add)));
  },
  async '@hono/mcp'() {
    const { StreamableHTTPTransport } = await load('@hono/mcp');
    const { Hono } = await load('hono');
    const app = new Hono();
    const server = (await official())();
    const transport = new StreamableHTTPTransport();
    await server.connect(transport);
    app.all('/mcp', c => transport.handleRequest(c));
    await listen(app.fetch);
  },
  async 'fastify-mcp'() {
    const { fastify } = await load('fastify');
    const { streamableHttp, Sessions } = await file('fastify-mcp/dist/index.js');
    const app = fastify();
    const make = await official();
    app.register(streamableHttp, { stateful: true, mcpEndpoint: '/mcp', sessions: new Sessions(), createServer: () => make().server });
    await app.listen(at);
  },
  async 'jsonv-ts'() {
    const { mcp, McpServer, stdioTransport } = await file('jsonv-ts/dist/mcp/index.js');
    const { s } = await file('jsonv-ts/dist/lib/index.js');
    const server = new McpServer(info);
    server.tool('add', { description, inputSchema: s.object({ a: s.number(), b: s.number() }) }, ({ a, b }, c) => c.text(String(a + b)));
    if (!port) return stdioTransport(server, process);
    const { Hono } = await load('hono');
    await listen(new Hono().use(mcp({ server, sessionsEnabled: true, endpoint: { path: '/mcp' } })).fetch);
  },
  async 'hono-mcp-server-sse-transport'() {
    const { SSETransport } = await file('hono-mcp-server-sse-transport/build/index.js');
    const { Hono } = await load('hono');
    const { streamSSE } = await load('hono/streaming');
    const app = new Hono(), transports = {}, make = await official();
    app.get('/sse', c => streamSSE(c, async stream => {
      const transport = new SSETransport('/messages', stream);
      transports[transport.sessionId] = transport;
      await make().connect(transport);
      await new Promise(resolve => stream.onAbort(resolve));
    }));
    app.post('/messages', c => transports[c.req.query('sessionId')].handlePostMessage(c));
    await listen(app.fetch);
  },
  async 'mcp-framework'() {
    process.env.MCP_SKIP_TOOL_VALIDATION = 'true';
    const { MCPServer, MCPTool } = await file('mcp-framework/dist/index.js');
    const { z } = await file('mcp-framework/node_modules/zod/index.js'); // it knows only its own version
    class Add extends MCPTool {
      name = 'add';
      description = description;
      schema = z.object({ a: z.number().describe('one'), b: z.number().describe('another') });
      execute = async ({ a, b }) => String(a + b);
    }
    const server = new MCPServer({ ...info, basePath: process.cwd(), transport: port ? { type: mode, options: { port: at.port } } : undefined });
    server.addTool(Add);
    await server.start();
  },
  async '@claude-flow/mcp'() {
    const { defineTool, quickStart } = await file('@claude-flow/mcp/dist/index.js');
    const server = await quickStart({ ...at, transport: port ? 'http' : 'stdio' }); // prints lines between messages
    server.registerTool(defineTool('add', description, { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } }, async ({ a, b }) => a + b));
    await server.start();
  },
  async 'mcp-use'() {
    const { MCPServer } = await file('mcp-use/dist/index-node.js');
    const server = new MCPServer({ ...info, host: at.host });
    server.tool({ name: 'add', description, inputSchema: z.object(numbers) }, async args => add(args));
    await server.listen(at.port);
  },
  async 'mcp-hub'() {
    globalThis.fetch = async () => { throw new Error('no network'); }; // it would load a list of servers
    writeFileSync('hub.json', JSON.stringify({ mcpServers: { inner: { command: process.execPath, args: [modern], env: { STDMCP_INTEROP: folder } } } }));
    // The hub listens before it is ready, so the port of the test opens later.
    const probe = createServer().listen(15000 + Math.floor(Math.random() * 15000), at.host);
    await once(probe, 'listening');
    const inner = probe.address().port;
    probe.close();
    process.argv = [...process.argv.slice(0, 2), '--port', String(inner), '--config', 'hub.json'];
    await file('mcp-hub/dist/cli.js');
    const ready = () => get({ host: at.host, port: inner, path: '/api/health' }, async res => {
      const { state } = JSON.parse(Buffer.concat(await res.toArray()));
      if (state !== 'ready') return again();
      createTCP(from => {
        const to = connect(inner, at.host);
        from.on('error', () => to.destroy());
        to.on('error', () => from.destroy());
        from.pipe(to).pipe(from);
      }).listen(at);
    }).on('error', again);
    const again = () => setTimeout(ready, 50);
    ready();
  },
  async 'mcp-remote'() {
    const { toNodeHandler } = await load('@modelcontextprotocol/node');
    const { createMcpHandler, McpServer } = await load('@modelcontextprotocol/server');
    const handler = toNodeHandler(createMcpHandler(() => {
      const server = new McpServer(info);
      server.registerTool('add', { description, inputSchema: z.object(numbers) }, add);
      return server;
    }));
    const http = createServer((req, res) => handler(req, res)).listen(0, at.host, () => {
      const url = `http://${at.host}:${http.address().port}/mcp`;
      const child = spawn(process.execPath, [join(folder, 'mcp-remote/dist/proxy.js'), url], { stdio: 'inherit' });
      child.on('exit', code => process.exit(code ?? 1));
    });
  },
};
await frameworks[framework]();
