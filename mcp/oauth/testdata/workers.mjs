// Runs Cloudflare's workers-oauth-provider on workerd, an authorization server
// by other authors, for interop_test.go. The arguments are the folder of
// node_modules that has it and the resource that it issues tokens for. The first
// line it prints is its URL; it ends when its standard input does. With
// STDMCP_REFUSE it registers no client.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [modules, resource] = [resolve(process.argv[2]), process.argv[3]];
const { Miniflare } = await import(pathToFileURL(join(modules, 'miniflare/dist/src/index.js')));

// The issuer has the port in it, so it is chosen first. No system gives it to a process
// that asks for any port.
const free = createServer();
await new Promise(ready => free.listen(15000 + Math.floor(Math.random() * 15000), '127.0.0.1', ready));
const { port } = free.address();
await new Promise(done => free.close(done));
const issuer = `http://127.0.0.1:${port}`;

const worker = `
import { OAuthProvider } from './oauth-provider.js';

const page = (handle) => new Response('<form method="post" action="/authorize"><input name="prompt" value="consent"><input name="handle" value="' + handle + '"></form>');

export default new OAuthProvider({
  resourceMetadata: { resource: ${JSON.stringify(resource)}, authorization_servers: [${JSON.stringify(issuer)}] },
  apiRoute: ${JSON.stringify(resource)},
  apiHandler: { fetch: () => new Response('hello') },
  authorizeEndpoint: '/authorize',
  tokenEndpoint: '/token',
  clientRegistrationEndpoint: '/register',
  clientRegistrationCallback: () => ${process.env.STDMCP_REFUSE ? `({ code: 'invalid_client_metadata', description: 'not here' })` : 'undefined'},
  scopesSupported: ['read', 'write'],
  accessTokenTTL: 3600,
  defaultHandler: {
    async fetch(request, env) {
      const url = new URL(request.url);
      if (url.pathname === '/token/introspection') {
        const found = await env.OAUTH_PROVIDER.unwrapToken((await request.formData()).get('token'));
        return Response.json(found ? { active: true, scope: found.scope.join(' '), aud: found.audience } : { active: false });
      }
      if (url.pathname !== '/authorize') {
        return new Response('not here', { status: 404 });
      }
      if (request.method === 'GET') {
        const asked = await env.OAUTH_PROVIDER.parseAuthRequest(request);
        const { handle, headers } = await env.OAUTH_PROVIDER.beginConsent(asked);
        const shown = page(handle);
        headers.forEach((value, name) => shown.headers.append(name, value));
        return shown;
      }
      const form = await request.clone().formData();
      const approved = await env.OAUTH_PROVIDER.approveConsent(request, form.get('handle'));
      const { redirectTo } = await env.OAUTH_PROVIDER.completeAuthorization({
        request: approved.request, userId: 'someone', metadata: {}, scope: approved.request.scope, props: {},
      });
      const headers = new Headers(approved.headers);
      headers.set('Location', redirectTo);
      return new Response(null, { status: 302, headers });
    },
  },
});
`;
const server = new Miniflare({
  modules: [
    { type: 'ESModule', path: '/worker/main.mjs', contents: worker },
    { type: 'ESModule', path: '/worker/oauth-provider.js', contents: readFileSync(join(modules, '@cloudflare/workers-oauth-provider/dist/oauth-provider.js'), 'utf8') },
  ],
  modulesRoot: '/worker', kvNamespaces: ['OAUTH_KV'], compatibilityDate: '2026-07-01', host: '127.0.0.1', port, cf: false,
});
await server.ready;
console.log(issuer);
process.stdin.on('end', async () => {
  await server.dispose();
  process.exit(0);
}).resume();
