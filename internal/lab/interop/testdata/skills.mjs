// A server of the skills of a folder, over stdio, or over HTTP if a port is given.
// The first argument says whose code serves them: "sdk" is that of the official
// TypeScript SDK, "ext-skills" that of the repository of the specification.
import { watch } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

// STDMCP_INTEROP is the folder of the packages.
const require = createRequire(process.env.STDMCP_INTEROP + '/');
const load = name => import(pathToFileURL(require.resolve(name)).href);
const { McpServer, createMcpHandler } = await load('@modelcontextprotocol/server');

const [author, folder, port] = process.argv.slice(2);
const capabilities = { resources: {} };
let catalog, attach;
if (author === 'sdk') {
  const { loadSkills } = await load('@modelcontextprotocol/server/ext/skills/node');
  catalog = await loadSkills(folder, { pageSize: 2, cacheHint: { ttlMs: 60_000, cacheScope: 'public' } });
  attach = server => catalog.attach(server);
} else {
  // Its exports have no condition for require.
  const { discoverSkills, registerSkillResources } = await import(
    pathToFileURL(process.env.STDMCP_INTEROP + '/@olaservo/ext-skills/dist/server/index.js').href);
  const skills = discoverSkills(folder);
  attach = server => registerSkillResources(server, skills, folder, { template: true, directoryRead: true });
}

function factory() {
  const server = new McpServer({ name: author, version: '1.0.0' }, { capabilities });
  attach(server);
  return server;
}

if (port === undefined) {
  const { serveStdio } = await load('@modelcontextprotocol/server/stdio');
  serveStdio(factory);
  if (catalog) watch(folder, () => catalog.reload()).unref(); // notifies the client
} else {
  const { toNodeHandler } = await load('@modelcontextprotocol/node');
  const modern = createMcpHandler(factory);
  const handler = toNodeHandler(modern);
  const http = createServer((req, res) => {
    if (req.method === 'PUT' && catalog) { // reads the folder again
      catalog.reload().then(changes => {
        if (changes.listChanged) modern.notify.resourcesChanged();
        res.end(JSON.stringify(changes));
      }, e => res.writeHead(500).end(String(e)));
      return;
    }
    handler(req, res);
  });
  http.listen(Number(port), '127.0.0.1', () => console.log(http.address().port));
}
