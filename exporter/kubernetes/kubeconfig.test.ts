import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KubernetesSession } from './api.ts';
import { checkKubeConfig, loadKubeConfig } from './kubeconfig.ts';
import type { KubernetesError } from './kubernetes-error.ts';

let folder: string;
let one: string;
let other: string;

function kubeconfig(name: string, user: Record<string, unknown>): string {
  const file = join(folder, name);
  const content = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    clusters: [{ name, cluster: { server: `https://${name}.example.com/` } }],
    users: [{ name, user }],
    contexts: [{ name, context: { cluster: name, user: name } }],
  };
  writeFileSync(file, JSON.stringify(content));
  return file;
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kubeconfig-'));
  one = kubeconfig('one', { token: 'token-of-one' });
  other = kubeconfig('other', { token: 'token-of-other' });
});
afterAll(() => rmSync(folder, { recursive: true }));

const NOTHING = { kubeconfig: undefined, context: undefined };

function serverOf(
  options: Parameters<typeof loadKubeConfig>[0],
  env: NodeJS.ProcessEnv = {},
): string | undefined {
  return loadKubeConfig(options, env).getCurrentCluster()?.server;
}

describe('loadKubeConfig', () => {
  it('takes the file of the flag, whatever the environment says', () => {
    expect(serverOf({ kubeconfig: one, context: undefined }, { KUBECONFIG: other })).toBe(
      'https://one.example.com',
    );
  });

  it('takes KUBECONFIG before the service account', () => {
    expect(serverOf(NOTHING, { KUBECONFIG: other, KUBERNETES_SERVICE_HOST: '10.0.0.1' })).toBe(
      'https://other.example.com',
    );
  });

  it('merges the files of KUBECONFIG; the first has the current context', () => {
    const env = { KUBECONFIG: [one, other].join(delimiter) };
    expect(serverOf(NOTHING, env)).toBe('https://one.example.com');
    expect(serverOf({ kubeconfig: undefined, context: 'other' }, env)).toBe('https://other.example.com');
  });

  it('takes the service account of a pod', () => {
    const env = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' };
    Object.assign(process.env, env);
    expect(serverOf(NOTHING, env)).toBe('https://10.0.0.1:443');
    for (const name of Object.keys(env)) delete process.env[name];
  });

  it.each([['a context that is not there', 'nope', 'no context "nope" in the kubeconfig; there are: one']])(
    'refuses %s',
    (_, context, message) => {
      expect(() => checkKubeConfig({ kubeconfig: one, context })).toThrow(message);
    },
  );

  it('checks nothing where nothing is named', () => {
    expect(() => checkKubeConfig(NOTHING)).not.toThrow();
  });
});

describe('KubernetesSession', () => {
  function open(file: string): Promise<KubernetesSession> {
    return KubernetesSession.open(() => loadKubeConfig({ kubeconfig: file, context: undefined }));
  }

  it('opens with a token file, relative to the kubeconfig', async () => {
    writeFileSync(join(folder, 'token'), 'secret\n');
    await (await open(kubeconfig('token-file', { tokenFile: 'token' }))).close();
    rmSync(join(folder, 'token'));
    await expect(open(join(folder, 'token-file'))).rejects.toMatchObject({ reason: 'credentials' });
  });

  it('opens with what a credential plugin says', async () => {
    const credential = {
      apiVersion: 'client.authentication.k8s.io/v1',
      kind: 'ExecCredential',
      status: { token: 'secret' },
    };
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: 'echo',
      args: [JSON.stringify(credential)],
    };
    const session = await open(kubeconfig('exec', { exec }));
    await expect(session.close()).resolves.toBeUndefined();
  });

  it.each([
    ['fails', 'false', []],
    ['is not installed', 'no-such-plugin', []],
    ['says something else', 'echo', ['token: very-secret']],
  ])('names a credential plugin that %s, and quotes nothing of it', async (name, command, args) => {
    const file = kubeconfig(`exec-${name.replaceAll(' ', '-')}`, {
      exec: { apiVersion: 'client.authentication.k8s.io/v1', command, args },
    });
    const error = await open(file).then(
      () => undefined,
      (reason: unknown) => reason as KubernetesError,
    );
    expect(error?.reason).toBe('credentials');
    expect(error?.message).not.toContain('secret');
  });

  it('refuses a server without TLS, unless the kubeconfig says that this is meant', async () => {
    const file = kubeconfig('plain', {});
    writeFileSync(
      file,
      JSON.stringify({
        'current-context': 'p',
        clusters: [{ name: 'p', cluster: { server: 'http://127.0.0.1:1' } }],
        users: [{ name: 'p', user: {} }],
        contexts: [{ name: 'p', context: { cluster: 'p', user: 'p' } }],
      }),
    );
    await expect(open(file)).rejects.toMatchObject({ reason: 'credentials' });
  });
});
