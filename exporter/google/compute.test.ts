import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseScenario } from '../../simulator/gke/scenario.ts';
import { type Simulator, startSimulator } from '../../simulator/simulator.ts';
import { Telemetry } from '../metrics/telemetry.ts';
import { Compute, type InstanceList } from './compute.ts';
import { GoogleError } from './google-error.ts';

const SCENARIO = parseScenario(
  { pools: [{ name: 'p', nodes: 1200, zones: ['us-central1-a', 'us-central1-b'] }] },
  'test',
);
const CLUSTER = { location: 'us-central1', clusterName: 'simulated' };
const PROJECT = 'simulated-project';

let simulator: Simulator;
let telemetry: Telemetry;
let compute: Compute;

function list(selection: Partial<typeof CLUSTER> = {}, project = PROJECT): Promise<InstanceList> {
  return compute.listInstances(project, { ...CLUSTER, ...selection }, AbortSignal.timeout(30_000));
}

async function failure(project?: string): Promise<{ reason: string; message: string }> {
  const error = await list({}, project).catch((each: unknown) => each);
  if (!(error instanceof GoogleError)) throw new Error(`it did not fail: ${JSON.stringify(error)}`);
  return { reason: error.reason, message: error.message };
}

beforeEach(async () => {
  simulator = await startSimulator({ scenario: SCENARIO, images: 0 });
  telemetry = new Telemetry();
  compute = new Compute({ endpoint: simulator.compute.url, universeDomain: 'googleapis.com', telemetry });
});
afterEach(async () => {
  await simulator.stop();
});

describe('Compute', () => {
  it('reads every page of the VMs of the cluster, with no more fields than are used', async () => {
    const { instances, unreachable } = await list();
    expect([instances.length, unreachable]).toEqual([1200, []]);
    expect(instances[0]).toEqual({
      name: expect.stringMatching(/^gke-simulated-p-/u),
      zone: 'us-central1-a',
      nodePool: 'p',
      upcomingMaintenance: undefined,
    });
    const [first, ...others] = simulator.compute.requests.map(({ searchParams }) => searchParams);
    expect(others).toHaveLength(2);
    expect(first?.get('filter')).toBe('labels.goog-k8s-cluster-name = "simulated"');
    expect(first?.get('fields')).toContain('resourceStatus/upcomingMaintenance');
    expect(await telemetry.expose('text')).toContain(
      'gke_disruption_google_api_requests_total{api="compute",method="instances.aggregatedList",code="200"} 3\n',
    );
  });

  it('does not take a cluster of the same name elsewhere for ours', async () => {
    expect((await list({ location: 'europe-west4' })).instances).toEqual([]);
  });

  it('finds nothing of another cluster', async () => {
    expect((await list({ clusterName: 'other' })).instances).toEqual([]);
  });

  it('says which zones did not answer', async () => {
    simulator.compute.fail({ kind: 'unreachable', zone: 'us-central1-b' }, 3);
    const { instances, unreachable } = await list();
    expect([instances.length, unreachable]).toEqual([600, ['zones/us-central1-b']]);
  });

  it('names the role that is missing', async () => {
    expect(await failure('other')).toEqual({
      reason: 'permission_denied',
      message:
        "project other: 403: Required 'compute.instances.list' permission for 'projects/other' (needed: the role roles/compute.viewer on project other)",
    });
  });

  it('names the API that is disabled', async () => {
    const body = JSON.stringify({
      error: { code: 403, message: 'It is disabled.', details: [{ reason: 'SERVICE_DISABLED' }] },
    });
    simulator.compute.fail({ kind: 'answer', status: 403, body });
    expect(await failure()).toEqual({
      reason: 'api_disabled',
      message: `project ${PROJECT}: 403: It is disabled. (needed: gcloud services enable compute.googleapis.com --project=${PROJECT})`,
    });
  });

  it.each([
    [403, '{"error":{"message":"m","errors":[{"reason":"rateLimitExceeded"}]}}', 'quota'],
    [429, '', 'quota'],
    [401, '{}', 'credentials'],
    [404, '<html>', 'not_found'],
    [400, '{"error":{"message":"m"}}', 'rejected'],
    [503, '', 'server_error'],
    [302, '', 'rejected'],
    [200, '<html>', 'invalid_answer'],
    [200, '[]', 'invalid_answer'],
    [200, '{"items":[{"instances":1}]}', 'invalid_answer'],
    [200, `"${'x'.repeat(17_000_000)}"`, 'invalid_answer'],
  ])('tells an answer as what it is: %#', async (status, body, reason) => {
    simulator.compute.fail({ kind: 'answer', status, body });
    expect((await failure()).reason).toBe(reason);
  });

  it('tells a connection that is cut', async () => {
    simulator.compute.fail({ kind: 'reset' });
    expect((await failure()).reason).toBe('connection');
  });

  it('gives up on pages without end', async () => {
    simulator.compute.fail({ kind: 'endless pages' }, 2000);
    expect((await failure()).message).toContain('no end of the answer after 300 pages');
  });

  it('leaves out what is no VM', async () => {
    const body = '{"items":{"zones/z":{"instances":[1,{"name":2},{"name":"vm"}]}}}';
    simulator.compute.fail({ kind: 'answer', status: 200, body });
    expect((await list()).instances.map(({ name }) => name)).toEqual(['vm']);
  });
});
