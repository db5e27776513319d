import { afterEach, beforeEach, expect, it } from 'vitest';
import { MetadataServer } from '../../simulator/google/metadata-server.ts';
import { type ClusterIdentity, IdentityDiscovery } from './cluster-identity.ts';
import type { GoogleError } from './google-error.ts';
import { MetadataServerClient } from './metadata.ts';

const NOTHING: ClusterIdentity = { projectIds: [], location: undefined, clusterName: undefined };
const FOUND = { projectIds: ['my-project'], location: 'us-central1', clusterName: 'mine' };

let metadata: MetadataServer;
let abort: AbortController;

beforeEach(async () => {
  abort = new AbortController();
  metadata = await MetadataServer.start();
  metadata.set('project/project-id', 'my-project');
  metadata.set('instance/attributes/cluster-location', 'us-central1');
  metadata.set('instance/attributes/cluster-name', 'mine');
});
afterEach(async () => {
  abort.abort();
  await metadata.stop();
});

function discover(given: Partial<ClusterIdentity>, failures: GoogleError[] = []): Promise<ClusterIdentity> {
  const client = new MetadataServerClient(`http://${metadata.host}`);
  const discovery = new IdentityDiscovery({ ...NOTHING, ...given }, client, abort.signal);
  return discovery.wait((error) => failures.push(error));
}

it.each<[string, Partial<ClusterIdentity>, ClusterIdentity]>([
  ['discovers project, location and cluster', {}, FOUND],
  ['keeps a location that was given', { location: 'europe-west4' }, { ...FOUND, location: 'europe-west4' }],
  ['keeps a cluster that was given', { clusterName: 'other' }, { ...FOUND, clusterName: 'other' }],
  [
    'takes an empty cluster name for every cluster',
    { clusterName: '' },
    { ...FOUND, clusterName: undefined },
  ],
])('%s', async (_, given, identity) => {
  expect(await discover(given)).toEqual(identity);
});

it('asks nobody when a project is given', async () => {
  const given = { ...NOTHING, projectIds: ['a', 'b'] };
  expect(await discover(given)).toEqual(given);
  expect(metadata.requests).toEqual([]);
});

it('tries again while the metadata server is late, and says once what is missing', async () => {
  metadata.set('instance/attributes/cluster-name', undefined);
  const failures: GoogleError[] = [];
  const discovered = discover({}, failures);
  await expect.poll(() => failures.length).toBe(1);
  expect(failures[0]?.reason).toBe('identity');
  expect(failures[0]?.message).toContain(
    'give --google.project-id, --google.location and --google.cluster-name',
  );
  metadata.set('instance/attributes/cluster-name', 'mine');
  expect(await discovered).toEqual(FOUND);
});

it.each([
  ['a page instead of a name', '<html>sign in</html>'],
  ['an empty name', ''],
  ['a name that is longer than any', 'x'.repeat(300)],
])('does not take %s', async (_, answer) => {
  metadata.set('instance/attributes/cluster-name', answer);
  const failures: GoogleError[] = [];
  const discovered = discover({}, failures).catch(() => 'aborted');
  await expect.poll(() => failures.length).toBe(1);
  abort.abort();
  expect(await discovered).toBe('aborted');
});
