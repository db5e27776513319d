import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Alertmanager, startAlertmanager } from '../test/alertmanager.ts';
import { type ExporterProcess, startExporterProcess } from '../test/exporter-process.ts';
import { freePort } from '../test/free-port.ts';
import { type Prometheus, startPrometheus } from '../test/prometheus.ts';
import { samplesOf, scrape, scrapeUntil } from '../test/scrape.ts';
import { findTool } from '../test/tools.ts';
import { type Notification, startWebhook, type Webhook } from '../test/webhook.ts';
import { describeHappening } from './gke/happening.ts';
import { readScenario } from './gke/scenario.ts';
import { NODES } from './kubernetes/resource.ts';
import { type Simulator, startSimulator } from './simulator.ts';

const SCENARIO = fileURLToPath(new URL('scenarios/demo.yaml', import.meta.url));

const RULES = new URL('../alerts/generated/prometheus.rules.yml', import.meta.url);

const USAGE = `Usage: npm run demo [-- --once]

Starts a simulated GKE cluster of about 200 nodes, the exporter, and Prometheus and Alertmanager with the rules and the
configuration of this repository where they are installed. Tells what happens to which node, and who would be told of it. Ctrl-C
ends all of it. With --once it ends by itself when the story has been told, after about two minutes, and
shows the series of a node that was disrupted.
`;

interface Demo {
  readonly simulator: Simulator;
  readonly exporter: ExporterProcess;
  /** Undefined where it is not installed. */
  readonly prometheus: Prometheus | undefined;
  readonly alertmanager: Alertmanager | undefined;
  /** Where Alertmanager's notifications arrive. */
  readonly webhook: Webhook;
}

/** Starts everything; what has started is put onto the stack, so that it ends even when something else does not start. */
async function start(stack: AsyncDisposableStack): Promise<Demo> {
  const simulator = await startSimulator({ scenario: readScenario(SCENARIO) });
  stack.defer(simulator.stop);
  const { speed } = simulator.clock;
  const flags = [...simulator.exporterFlags, `--monitoring.poll-interval=${Math.ceil(60_000 / speed)}ms`];
  const exporter = await startExporterProcess(flags, { port: await freePort(9453), speed });
  stack.defer(async () => void (await exporter.stop()));
  const webhook = await startWebhook();
  stack.defer(webhook.stop);
  const alertmanager =
    findTool('prometheus-alertmanager') === undefined
      ? undefined
      : await startAlertmanager({ webhook: webhook.url, preferredPort: 9093 });
  if (alertmanager !== undefined) stack.defer(alertmanager.stop);
  if (findTool('prometheus') === undefined)
    return { simulator, exporter, prometheus: undefined, alertmanager, webhook };
  const prometheus = await startPrometheus([new URL(exporter.url).host], {
    preferredPort: 9090,
    rules: readFileSync(RULES, 'utf8'),
    ...(alertmanager === undefined ? {} : { alertmanager: new URL(alertmanager.url).host }),
  });
  stack.defer(prometheus.stop);
  return { simulator, exporter, prometheus, alertmanager, webhook };
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** A notification as it arrives, set off from what happens. */
function describeNotification({ channel, title, text }: Notification): string {
  return `\n${channel}  ${title}\n${text.trimEnd().replaceAll(/^/gmu, '    ')}\n`;
}

/** A page of Prometheus that shows the answer to a question. */
function graphUrl({ url }: Prometheus, query: string): string {
  return `${url}/graph?g0.tab=1&g0.expr=${encodeURIComponent(query)}`;
}

function printIntroduction({ simulator, exporter, prometheus, alertmanager }: Demo): void {
  const questions =
    prometheus === undefined
      ? '  prometheus      not installed (apt-get install prometheus)'
      : `  maintenance     ${graphUrl(prometheus, 'sort(gke_node_maintenance_window_start_timestamp_seconds - time())')}
  interruptions   ${graphUrl(prometheus, 'gke_node_pool_interruptions_in_window{window="24h"} > 0')}
  alerts          ${prometheus.url}/alerts`;
  const notifications =
    alertmanager === undefined
      ? 'not installed (apt-get install prometheus-alertmanager)'
      : `${alertmanager.url}/#/alerts`;
  print(`${simulator.cluster.count(NODES)} nodes in six node pools. Hours pass in minutes.

  exporter        ${exporter.url}/metrics
${questions}
  alertmanager    ${notifications}

To be the operator, in another terminal:

  export KUBECONFIG=${simulator.kubeconfigPath}
  kubectl get nodes -l cloud.google.com/scheduled-maintenance-time -L cloud.google.com/scheduled-maintenance-time
  kubectl label nodes NAME cloud.google.com/perform-maintenance=true
`);
}

/** The series of the first node that goes down for maintenance, as they are then. */
async function seriesOfDisruptedNode({ simulator, exporter }: Demo): Promise<readonly string[]> {
  const { node } = await simulator.happenings.until(({ what }) => what === 'node down', 600_000);
  const isDown = new RegExp(`^gke_disrupted_node_ready\\{node="${node}",[^}]*\\} 0$`, 'mu');
  return samplesOf(await scrapeUntil(exporter.url, (text) => isDown.test(text)), node);
}

/** What was interrupted in the last day, as it is now. */
async function interruptions({ exporter }: Demo): Promise<readonly string[]> {
  const text = await scrape(exporter.url);
  return text
    .split('\n')
    .filter((line) => /^gke_node_pool_interruptions_in_window\{.*window="24h"\} [1-9]/u.test(line));
}

async function run({ once: isOnce }: { readonly once: boolean }): Promise<void> {
  const interruption = new AbortController();
  const interrupted = once(process, 'SIGINT').then(() => interruption.abort());
  print('Starting a cluster, the exporter, Prometheus and Alertmanager …');
  const stack = new AsyncDisposableStack();
  try {
    const demo = await start(stack);
    printIntroduction(demo);
    demo.webhook.listen((notification) => print(describeNotification(notification)));
    demo.simulator.happenings.listen((happening) => print(describeHappening(happening)));
    const series = isOnce ? seriesOfDisruptedNode(demo) : Promise.resolve([]);
    // Ctrl-C reaches the exporter too, and a scrape that it cuts short is no news then.
    series.catch(() => undefined);
    await Promise.race([demo.simulator.storyEnds, interrupted]);
    if (interruption.signal.aborted) return;
    if (isOnce) {
      print(`\nA disrupted node, while it was down:\n\n${(await series).join('\n')}`);
      print(`\nThe interruptions of the last day:\n\n${(await interruptions(demo)).join('\n')}`);
    } else {
      print('\nThe story has been told. Label a node to begin another; Ctrl-C ends.');
      await interrupted;
    }
  } catch (error) {
    // Ctrl-C ends the processes that are being started, too.
    if (!interruption.signal.aborted) throw error;
  } finally {
    await stack.disposeAsync();
  }
}

const { values } = parseArgs({
  options: { once: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
});
if (values.help) process.stdout.write(USAGE);
else await run(values);
