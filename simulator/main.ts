#!/usr/bin/env node
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { Command, InvalidArgumentError } from 'commander';
import { describeHappening } from './gke/happening.ts';
import { GPU_FAULT_REPAIR, Replay, readRecording } from './gke/recording.ts';
import { readScenario, ScenarioError } from './gke/scenario.ts';
import { NODES } from './kubernetes/resource.ts';
import { type Simulator, startSimulator } from './simulator.ts';

interface Flags {
  readonly scenario: string;
  readonly speed?: number;
  readonly host: string;
  readonly port: number;
  readonly kubeconfig?: string;
  readonly tokenFile?: string;
  readonly images: number;
  readonly heartbeats: boolean;
  readonly serverVersion?: string;
  readonly replay?: string;
}

const DEMO = fileURLToPath(new URL('scenarios/demo.yaml', import.meta.url));

const STORY_ENDS = 'All events of the scenario have happened. Ctrl-C ends the simulator.';

const HELP = `
The simulator serves the Kubernetes API of a GKE cluster and does to its nodes what GKE does: it announces maintenance,
reacts to the operator's label, takes nodes down and brings them back. Use the real kubectl on it:

  export KUBECONFIG=...                                             (printed at the start)
  kubectl get nodes -w -L cloud.google.com/gke-nodepool,cloud.google.com/scheduled-maintenance-time
  kubectl label node NODE cloud.google.com/perform-maintenance=true

Other processes can cause errors, with the token of the kubeconfig:

  POST /simulator/faults    {"match": {"verb": "watch", "resource": "nodes"}, "fault": {"kind": "cut", "afterEvents": 3}}
  DELETE /simulator/faults  cancels what is planned
  POST /simulator/compact   forgets all changes: old watches and pages get 410
  GET /simulator/requests   how often what was asked for

The process ends with Ctrl-C; with code 2 on a scenario or flag that is wrong.`;

function positiveNumber(text: string): number {
  const number = Number(text);
  if (!(number > 0 && Number.isFinite(number))) throw new InvalidArgumentError('expected a positive number');
  return number;
}

function wholeNumber(text: string): number {
  if (!/^\d{1,6}$/u.test(text)) throw new InvalidArgumentError('expected a whole number');
  return Number(text);
}

function commandLine(): Command {
  return new Command('simulator')
    .description('A GKE cluster to develop against, without Google.')
    .option('--scenario <file>', 'what the cluster is and what happens to it', DEMO)
    .option(
      '--speed <number>',
      "how many times faster GKE's durations pass (default: as the scenario says)",
      positiveNumber,
    )
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <number>', 'port to listen on; 0: any free one', wholeNumber, 0)
    .option('--kubeconfig <file>', 'where to write the kubeconfig (default: a temporary file)')
    .option('--token-file <file>', 'file of the bearer token; writing it rotates the token')
    .option('--images <number>', 'images that each node lists', wholeNumber, 30)
    .option('--heartbeats', "write the kubelets' heartbeats", false)
    .option('--server-version <version>', 'what /version says, such as v1.35.6-gke.1234000')
    .option('--replay <node>', 'replay the recorded repair of a GPU node onto this node')
    .addHelpText('after', HELP)
    .exitOverride();
}

/** Runs the simulator until a signal. Resolves with the exit code. */
async function run(argv: readonly string[]): Promise<number> {
  const flags: Flags = commandLine().parse(argv).opts();
  const { scenario: file, replay, kubeconfig, serverVersion, ...rest } = flags;
  const scenario = readScenario(file);
  const simulator = await startSimulator({
    ...rest,
    scenario,
    ...(kubeconfig === undefined ? {} : { kubeconfigPath: kubeconfig }),
    ...(serverVersion === undefined ? {} : { version: serverVersion }),
  });
  print(`Kubernetes API  ${simulator.url}`);
  print(`export KUBECONFIG=${simulator.kubeconfigPath}`);
  print(`npm start -- ${simulator.exporterFlags.join(' ')}`);
  for (const happening of simulator.happenings.past) print(describeHappening(happening));
  simulator.happenings.listen((happening) => print(describeHappening(happening)));
  if (scenario.events.length > 0) void simulator.storyEnds.then(() => print(STORY_ENDS));
  try {
    if (replay !== undefined) startReplay(simulator, replay);
    await signal();
  } finally {
    await simulator.stop();
  }
  return 0;
}

/** Throws a ScenarioError if there is no such node. */
function startReplay({ cluster, clock }: Simulator, node: string): void {
  if (cluster.get(NODES, node) === undefined) throw new ScenarioError(`--replay: there is no node ${node}`);
  const recording = new Replay(cluster, node, readRecording(GPU_FAULT_REPAIR), { speed: clock.speed });
  void recording.run(clock).catch((error: Error) => {
    if (error.name !== 'AbortError') process.stderr.write(`--replay: ${error.message}\n`);
  });
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

async function signal(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  process.once('SIGINT', () => resolve());
  process.once('SIGTERM', () => resolve());
  await promise;
}

async function main(): Promise<number> {
  try {
    return await run(process.argv);
  } catch (error) {
    if (error instanceof ScenarioError) {
      process.stderr.write(`${error.message}\n`);
      return 2;
    }
    // Commander has said what is wrong, or has printed the help.
    if (error instanceof Error && 'exitCode' in error) return error.exitCode === 0 ? 0 : 2;
    process.stderr.write(`simulator: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}

process.exitCode = await main();
