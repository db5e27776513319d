import { gunzipSync } from 'node:zlib';
import { getLogger } from '@logtape/logtape';
import { afterEach, describe, expect, it } from 'vitest';
import { END, type Format } from '../metrics/exposition.ts';
import { Telemetry } from '../metrics/telemetry.ts';
import { type AppOptions, createApp } from './app.ts';
import type { ReadinessCheck } from './readiness.ts';
import { type Listening, listen } from './server.ts';

const OPENMETRICS = 'application/openmetrics-text;version=1.0.0';

let listening: Listening;
let telemetry: Telemetry;

async function serve(options: Partial<AppOptions> = {}): Promise<string> {
  telemetry = new Telemetry();
  const app = createApp({
    title: 'gke-disruption-exporter',
    version: '1.2.3',
    telemetryPath: '/metrics',
    maxRequests: 2,
    telemetry,
    expose: async (format: Format) => `text in ${format}\n${END[format]}`,
    checks: [],
    log: getLogger('test'),
    ...options,
  });
  listening = await listen(app.callback(), [{ host: '127.0.0.1', port: 0 }]);
  return `http://${listening.addresses[0]}`;
}

afterEach(() => listening.close(0));

function check(name: string, isReady: boolean, description: string): ReadinessCheck {
  return { name, isReady: () => isReady, describe: () => description };
}

describe('/metrics', () => {
  it.each([
    ['text', '*/*', 'text/plain; version=0.0.4; charset=utf-8', 'text in text\n'],
    [
      'OpenMetrics',
      OPENMETRICS,
      'application/openmetrics-text; version=1.0.0; charset=utf-8',
      'text in openmetrics\n# EOF\n',
    ],
  ])('answers in %s', async (_, accept, type, text) => {
    const answer = await fetch(`${await serve()}/metrics`, {
      headers: { accept, 'accept-encoding': 'identity' },
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe(type);
    expect(answer.headers.get('content-encoding')).toBeNull();
    expect(await answer.text()).toBe(text);
  });

  it('compresses when asked to, and says what the answer depends on', async () => {
    const url = await serve();
    const { request } = await import('undici');
    const { headers, body } = await request(`${url}/metrics`, { headers: { 'accept-encoding': 'gzip' } });
    expect(headers['content-encoding']).toBe('gzip');
    expect(headers.vary).toBe('Accept, Accept-Encoding');
    expect(gunzipSync(Buffer.from(await body.arrayBuffer())).toString()).toBe('text in text\n');
  });

  it('answers HEAD with the headers of GET and no body', async () => {
    const answer = await fetch(`${await serve()}/metrics`, {
      method: 'HEAD',
      headers: { 'accept-encoding': 'identity' },
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-length')).toBe(String('text in text\n'.length));
    expect(await answer.text()).toBe('');
  });

  it('is where the flag says', async () => {
    const url = await serve({ telemetryPath: '/node/metrics' });
    expect((await fetch(`${url}/node/metrics`)).status).toBe(200);
    expect((await fetch(`${url}/metrics`)).status).toBe(404);
    expect(await (await fetch(url)).text()).toContain('<a href="/node/metrics">');
  });

  it('refuses what is more than so many scrapes at once, and serves again afterwards', async () => {
    const held = Promise.withResolvers<string>();
    const entered = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let calls = 0;
    const url = await serve({
      expose: () => {
        entered[calls]?.resolve();
        calls += 1;
        return held.promise;
      },
    });
    const scrapes = [fetch(`${url}/metrics`), fetch(`${url}/metrics`)];
    await Promise.all(entered.map(({ promise }) => promise));
    const refused = await fetch(`${url}/metrics`);
    expect(refused.status).toBe(503);
    expect(await refused.text()).toBe('More than 2 scrapes at once, try again later.\n');
    expect((await fetch(`${url}/livez`)).status).toBe(200);
    held.resolve('text\n');
    expect((await Promise.all(scrapes)).map(({ status }) => status)).toEqual([200, 200]);
    expect((await fetch(`${url}/metrics`)).status).toBe(200);
  });

  it('answers 500 without detail when the text cannot be made, and goes on', async () => {
    let fails = true;
    const url = await serve({
      expose: () => (fails ? Promise.reject(new Error('secret')) : Promise.resolve('text\n')),
    });
    const failed = await fetch(`${url}/metrics`);
    expect(failed.status).toBe(500);
    expect(await failed.text()).toBe('Internal Server Error');
    fails = false;
    expect((await fetch(`${url}/metrics`)).status).toBe(200);
  });

  it('measures itself', async () => {
    const url = await serve();
    await fetch(`${url}/metrics`, { headers: { accept: OPENMETRICS, 'accept-encoding': 'identity' } });
    const text = await telemetry.expose('text');
    expect(text).toContain('gke_disruption_scrape_size_bytes{format="openmetrics",encoding="identity"} 26\n');
    expect(text).toContain(
      'gke_disruption_scrape_duration_seconds_count{format="openmetrics",encoding="identity"} 1\n',
    );
  });

  it.each(['POST', 'PUT', 'DELETE'])('refuses %s', async (method) => {
    const answer = await fetch(`${await serve()}/metrics`, { method });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('HEAD, GET');
  });
});

describe('/livez and /readyz', () => {
  it('is alive whatever the collectors do', async () => {
    const answer = await fetch(`${await serve({ checks: [check('nodes', false, 'no success yet')] })}/livez`);
    expect([answer.status, await answer.text()]).toEqual([200, 'ok\n']);
  });

  it.each([
    ['no collector', [], '', 200, 'ok\n'],
    ['all well', [check('nodes', true, 'ok')], '', 200, 'ok\n'],
    ['all well, verbose', [check('nodes', true, 'ok')], '?verbose', 200, '[+]nodes ok\nok\n'],
    [
      'one not',
      [check('nodes', false, 'no success yet: forbidden'), check('events', true, 'ok')],
      '',
      503,
      'not ready\n',
    ],
    [
      'one not, verbose',
      [check('nodes', false, 'no success yet: forbidden'), check('events', true, 'ok')],
      '?verbose',
      503,
      '[-]nodes no success yet: forbidden\n[+]events ok\nnot ready\n',
    ],
  ] as const)('with %s', async (_, checks, query, status, text) => {
    const answer = await fetch(`${await serve({ checks })}/readyz${query}`);
    expect([answer.status, await answer.text()]).toEqual([status, text]);
  });
});

describe('the landing page', () => {
  it('links what there is and shows each collector', async () => {
    const url = await serve({ checks: [check('nodes', false, 'no success yet')] });
    const answer = await fetch(url);
    const html = await answer.text();
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    for (const [, href] of html.matchAll(/href="(?<href>[^"]+)"/gu)) {
      expect([200, 503]).toContain((await fetch(`${url}${href}`)).status);
    }
    expect(html).toContain('<th scope="row">nodes</th><td class="bad">no success yet</td>');
    expect(html).toContain('Version 1.2.3.');
  });

  it('lets nothing into its HTML unescaped', async () => {
    const html = await (
      await fetch(await serve({ checks: [check('nodes', false, '<script>alert(1)</script>')] }))
    ).text();
    expect(html).not.toContain('<script>');
    expect(html).toContain('&lt;script&gt;');
  });

  it('answers 404 elsewhere', async () => {
    expect((await fetch(`${await serve()}/nowhere`)).status).toBe(404);
  });
});

describe('listen', () => {
  it('listens on several addresses', async () => {
    listening = await listen(
      (_, response) => response.end('ok'),
      [
        { host: '127.0.0.1', port: 0 },
        { host: '::1', port: 0 },
      ],
    );
    expect(listening.addresses).toHaveLength(2);
    for (const address of listening.addresses)
      expect(await (await fetch(`http://${address}`)).text()).toBe('ok');
  });

  it('listens on none when one cannot be had', async () => {
    listening = await listen((_, response) => response.end('ok'), [{ host: '127.0.0.1', port: 0 }]);
    const port = Number(listening.addresses[0]?.split(':')[1]);
    await expect(
      listen(
        () => undefined,
        [
          { host: '127.0.0.1', port: 0 },
          { host: '127.0.0.1', port },
        ],
      ),
    ).rejects.toThrow(/EADDRINUSE/u);
  });
});
