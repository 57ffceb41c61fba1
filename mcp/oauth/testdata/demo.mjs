// Runs the demo authorization server of the official TypeScript SDK, for
// interop_test.go. The arguments are the folder of node_modules that has it and
// the resource that it issues tokens for. The first line it prints is its URL; it
// ends when its standard input does. It issues no refresh tokens. Its clock is off by
// the milliseconds in STDMCP_CLOCK; with STDMCP_REFUSE it registers no client.
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [modules, resource] = [resolve(process.argv[2]), process.argv[3]];
const sdk = join(modules, 'sdk-1.32.2');
const load = path => import(pathToFileURL(path));
const express = createRequire(join(sdk, 'package.json'))('express');
const { DemoInMemoryAuthProvider } = await load(join(sdk, 'dist/esm/examples/server/demoInMemoryOAuthProvider.js'));
const { InvalidClientMetadataError } = await load(join(sdk, 'dist/esm/server/auth/errors.js'));
const { mcpAuthRouter } = await load(join(sdk, 'dist/esm/server/auth/router.js'));

const now = Date.now;
Date.now = () => now() + Number(process.env.STDMCP_CLOCK ?? 0);
const provider = new DemoInMemoryAuthProvider(asked => asked?.href === resource);
if (process.env.STDMCP_REFUSE) {
  provider.clientsStore.registerClient = async () => { throw new InvalidClientMetadataError('not here'); };
}
const app = express();
const server = createServer(app);
await new Promise(ready => server.listen(0, '127.0.0.1', ready));
const issuer = `http://127.0.0.1:${server.address().port}/`; // the SDK's issuers have the slash
app.post('/token/introspection', express.urlencoded(), async (req, res) => {
  try {
    const { scopes, resource: aud } = await provider.verifyAccessToken(req.body.token);
    res.json({ active: true, scope: scopes.join(' '), aud });
  } catch {
    res.json({ active: false });
  }
});
app.use(mcpAuthRouter({ provider, issuerUrl: new URL(issuer), scopesSupported: ['read', 'write'] }));
console.log(issuer);
process.stdin.on('end', () => process.exit(0)).resume();
