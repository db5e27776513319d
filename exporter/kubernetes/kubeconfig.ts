import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { KubeConfig, loadYaml } from '@kubernetes/client-node';
import * as v from 'valibot';
import { credentialsError, KubernetesError } from './kubernetes-error.ts';

/** Where to find the cluster. Both undefined: as kubectl and the official clients find it. */
export interface KubeConfigOptions {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
}

/**
 * Loads the configuration anew, so that rotated tokens and certificates count: the given file, else what KUBECONFIG names,
 * else the service account of this pod, else ~/.kube/config. Throws a KubernetesError that says what is missing.
 */
export function loadKubeConfig({ kubeconfig, context }: KubeConfigOptions, env = process.env): KubeConfig {
  const files = kubeconfigFiles(kubeconfig, env);
  if (files.length === 0 && env.KUBERNETES_SERVICE_HOST === undefined) {
    throw new KubernetesError(
      'no cluster is configured: run in a pod of it, set KUBECONFIG, or give --kubernetes.kubeconfig',
      { reason: 'credentials' },
    );
  }
  const config = files.length === 0 ? inCluster() : fromFiles(files);
  if (context !== undefined) selectContext(config, context);
  if (config.getCurrentCluster() === null) {
    throw new KubernetesError(`${files.join(', ')}: no cluster in the current context`, {
      reason: 'credentials',
    });
  }
  return config;
}

/** Empty: none, or in a pod its service account. */
function kubeconfigFiles(kubeconfig: string | undefined, env: NodeJS.ProcessEnv): string[] {
  if (kubeconfig !== undefined) return [kubeconfig];
  const fromEnvironment = (env.KUBECONFIG ?? '').split(delimiter).filter(Boolean);
  if (fromEnvironment.length > 0) return fromEnvironment;
  if (env.KUBERNETES_SERVICE_HOST !== undefined) return [];
  return [join(homedir(), '.kube', 'config')].filter((file) => existsSync(file));
}

function inCluster(): KubeConfig {
  const config = new KubeConfig();
  config.loadFromCluster();
  return config;
}

function fromFiles(files: readonly string[]): KubeConfig {
  const config = new KubeConfig();
  for (const [position, file] of files.entries()) {
    try {
      const next = position === 0 ? config : new KubeConfig();
      next.loadFromFile(file);
      honourTokenFiles(next, file);
      if (next !== config) config.mergeConfig(next, true);
    } catch (error) {
      throw credentialsError(file, error);
    }
  }
  return config;
}

const USERS_WITH_TOKEN_FILE = v.object({
  users: v.array(
    v.object({
      name: v.string(),
      user: v.nullish(v.object({ token: v.nullish(v.string()), tokenFile: v.nullish(v.string()) })),
    }),
  ),
});

/** client-node does not know kubeconfig's `tokenFile`; it does know the same thing as an authentication provider. */
function honourTokenFiles(config: KubeConfig, file: string): void {
  const parsed = v.safeParse(USERS_WITH_TOKEN_FILE, loadYaml(readFileSync(file, 'utf8')));
  if (!parsed.success) return;
  config.users = config.users.map((user) => {
    const entry = parsed.output.users.find(({ name }) => name === user.name)?.user;
    if (!entry?.tokenFile || entry.token) return user;
    const tokenFile = resolve(dirname(file), entry.tokenFile);
    return { ...user, authProvider: { name: 'tokenFile', config: { tokenFile } } };
  });
}

function selectContext(config: KubeConfig, context: string): void {
  const names = config.getContexts().map(({ name }) => name);
  if (!names.includes(context)) {
    throw new KubernetesError(`no context "${context}" in the kubeconfig; there are: ${names.join(', ')}`, {
      reason: 'credentials',
    });
  }
  config.setCurrentContext(context);
}

/**
 * Looks at what the flags name: the file, and the context in it. Throws a KubernetesError. Where nothing is named there is
 * nothing to be wrong: what is missing then may still come.
 */
export function checkKubeConfig(options: KubeConfigOptions): void {
  if (options.kubeconfig !== undefined || options.context !== undefined) loadKubeConfig(options);
}
