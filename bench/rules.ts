import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { startPrometheus } from '../test/prometheus.ts';

const NODES = 65_000;
const POOLS = 65;
/** Every so many nodes have maintenance. */
const MAINTAINED = 10;
const INTERVAL_SECONDS = 15;
const EVALUATIONS = 5;

const DURATION =
  /^prometheus_rule_group_last_duration_seconds\{rule_group="[^"]*;(?<group>[^"]+)"\} (?<seconds>\S+)$/gmu;

/** What an exporter tells of a cluster of 65,000 nodes; an instant in seconds. */
function exposition(now: number): string {
  const lines: string[] = [];
  for (let index = 0; index < NODES; index += 1) {
    const pool = `pool-${index % POOLS}`;
    const node = `node="gke-large-${pool}-${index}",node_pool="${pool}"`;
    lines.push(
      `gke_node_info{${node},zone="us-central1-b",machine_type="a4-highgpu-8g",provisioning="standard",accelerator="nvidia-b200",accelerator_count="8",tpu_topology="",gke_version="1.35.6-gke.1234000",instance_id="${index}",live_migration="unsupported",maintenance_notice="supported"} 1`,
    );
    if (index % MAINTAINED === 0) lines.push(...maintenance(node, now + index));
  }
  for (let pool = 0; pool < POOLS; pool += 1) {
    lines.push(`gke_node_pool_nodes{node_pool="pool-${pool}"} ${NODES / POOLS}`);
  }
  return `${lines.join('\n')}\n`;
}

function maintenance(node: string, start: number): readonly string[] {
  const bySource = ['label', 'annotation'].map(
    (source) => `gke_node_maintenance_window_start_timestamp_seconds{${node},source="${source}"} ${start}`,
  );
  return [
    ...bySource,
    `gke_node_maintenance_window_end_timestamp_seconds{${node},source="annotation"} ${start + 14_400}`,
    `gke_node_maintenance_can_reschedule{${node},source="annotation"} 1`,
    `gke_node_maintenance_status{${node},source="annotation",status="PENDING"} 1`,
    `gke_node_maintenance_status{${node},source="annotation",status="ONGOING"} 0`,
    `gke_disrupted_node_ready{${node}} 1`,
  ];
}

/** How long Prometheus takes for each group of the rules, of 65,000 nodes of which 6,500 have maintenance. */
export async function measureRules(): Promise<string> {
  const start = Math.floor(Date.now() / 1000);
  const text = exposition(start);
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/plain; version=0.0.4; charset=utf-8');
    response.end(text);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const rules = readFileSync(new URL('../alerts/generated/prometheus.rules.yml', import.meta.url), 'utf8');
  const prometheus = await startPrometheus([`127.0.0.1:${(server.address() as AddressInfo).port}`], {
    interval: `${INTERVAL_SECONDS}s`,
    // The slower groups as often as the others, so that each is measured often.
    rules: rules.replaceAll(/interval: [15]m/gu, `interval: ${INTERVAL_SECONDS}s`),
  });
  const longest = new Map<string, number>();
  for (let evaluation = 0; evaluation < EVALUATIONS * 2; evaluation += 1) {
    await delay((INTERVAL_SECONDS * 1000) / 2);
    const metrics = await (await fetch(`${prometheus.url}/metrics`)).text();
    for (const { groups: { group = '', seconds = '0' } = {} } of metrics.matchAll(DURATION)) {
      longest.set(group, Math.max(longest.get(group) ?? 0, Number(seconds)));
    }
  }
  const [scheduled] = await prometheus.query('count(node:gke_node_maintenance_starts_in_seconds:min)');
  await prometheus.stop();
  server.closeAllConnections();
  server.close();
  const lines = Array.from(longest, ([group, seconds]) => `  ${group.padEnd(40)} ${seconds.toFixed(2)} s`);
  return `Rules, ${NODES} nodes of which ${scheduled?.value} have maintenance, longest of ${EVALUATIONS} evaluations:\n${lines.join('\n')}`;
}
