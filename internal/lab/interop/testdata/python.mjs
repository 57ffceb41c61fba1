// What servers on the Python SDK up to 1.9 do: a request that they don't know,
// such as server/discover, ends their loop, and they notice when the next line
// comes.
import { createInterface } from 'node:readline';

const send = message => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
const tools = [{ name: 'echo', description: 'Echoes', inputSchema: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] } }];

let broken = false;
createInterface({ input: process.stdin }).on('line', line => {
  const { id, method, params } = JSON.parse(line);
  if (broken) {
    console.error('anyio.ClosedResourceError');
    process.exit(1);
  }
  switch (method) {
    case 'initialize':
      return send({ id, result: { protocolVersion: '2025-03-26', capabilities: { experimental: {}, tools: { listChanged: false } }, serverInfo: { name: 'python', version: '1.9.0' } } });
    case 'tools/list':
      return send({ id, result: { tools } });
    case 'tools/call':
      return send({ id, result: { content: [{ type: 'text', text: `Echo: ${params.arguments.message}` }], isError: false } });
    case 'ping':
      return send({ id, result: {} });
  }
  if (id !== undefined) {
    console.error('pydantic_core._pydantic_core.ValidationError: 1 validation error for ClientRequest');
    broken = true;
  }
}).on('close', () => process.exit(0));
