// Runs oidc-provider, an authorization server by other authors, for
// interop_test.go. The argument is the folder of node_modules that has it. The
// first line it prints is its URL; it ends when its standard input does. Its clock
// is off by the milliseconds in STDMCP_CLOCK; with STDMCP_REFUSE it registers
// no client.
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const now = Date.now;
Date.now = () => now() + Number(process.env.STDMCP_CLOCK ?? 0);
const { Provider } = await import(pathToFileURL(resolve(process.argv[2], 'oidc-provider/lib/index.js')));
const server = createServer();
await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
const issuer = `http://127.0.0.1:${server.address().port}`;

const provider = new Provider(issuer, {
  clients: [{ // the resource server of the test, which asks about tokens
    client_id: 'resource', client_secret: 'resource-secret', redirect_uris: [], response_types: [], grant_types: [],
  }],
  scopes: ['openid', 'offline_access'],
  cookies: { keys: [randomBytes(16).toString('hex')] },
  ttl: { Interaction: 2 * 3600 }, // for browsers a cookie would be too old when the clock is behind
  pkce: { required: () => true },
  rotateRefreshToken: true,
  issueRefreshToken: async (ctx, client, code) => client.grantTypeAllowed('refresh_token') && code.scopes.has('offline_access'),
  findAccount: (ctx, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
  features: {
    registration: { enabled: true, initialAccessToken: process.env.STDMCP_REFUSE && 'none' },
    revocation: { enabled: true },
    deviceFlow: { enabled: true },
    introspection: { enabled: true, allowedPolicy: () => true },
    dPoP: { enabled: true, nonceSecret: randomBytes(32), requireNonce: () => true },
    resourceIndicators: {
      enabled: true,
      useGrantedResource: () => true,
      getResourceServerInfo: (ctx, resource) => ({ scope: 'read write', audience: resource, accessTokenTTL: 3600, accessTokenFormat: 'opaque' }),
    },
  },
});
server.on('request', provider.callback());
console.log(issuer);
process.stdin.on('end', () => process.exit(0)).resume();
