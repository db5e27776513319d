import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { stringify } from 'yaml';

export interface KubeconfigOptions {
  /** URL of the API server. */
  readonly server: string;
  /** PEM text of the certificate authority. */
  readonly ca: string;
  readonly token: string;
  /** A file with the token, which clients read again when it changes. */
  readonly tokenFile: string | undefined;
  /** Name of cluster and context, as gcloud writes it: `gke_PROJECT_LOCATION_CLUSTER`. */
  readonly context: string;
}

/** Writes a kubeconfig that only its owner can read, as gcloud and kubectl do. */
export function writeKubeconfig(path: string, options: KubeconfigOptions): void {
  const { server, ca, token, tokenFile, context } = options;
  const user = tokenFile === undefined ? { token } : { tokenFile };
  const kubeconfig = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': context,
    clusters: [
      {
        name: context,
        cluster: { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') },
      },
    ],
    users: [{ name: context, user }],
    contexts: [{ name: context, context: { cluster: context, user: context } }],
  };
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, stringify(kubeconfig, { lineWidth: 0 }), { mode: 0o600 });
  // The mode above holds for new files only.
  chmodSync(path, 0o600);
}
