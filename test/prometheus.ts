import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as v from 'valibot';
import { freePort } from './free-port.ts';
import { startServer } from './server-process.ts';
import { requireTool } from './tools.ts';

/** A real Prometheus that scrapes. */
export interface Prometheus {
  readonly url: string;
  /** The result of an instant query: labels and value of each series. Throws on an error of the query. */
  readonly query: (expression: string) => Promise<readonly QueryResult[]>;
  /** Queries until the result fulfils a condition. Throws with the last result when that takes too long. */
  readonly queryUntil: (
    expression: string,
    condition: (result: readonly QueryResult[]) => boolean,
  ) => Promise<readonly QueryResult[]>;
  /** The samples of a range, `x[5m]`, as they were scraped. */
  readonly samples: (selector: string) => Promise<readonly RawSeries[]>;
  readonly stop: () => Promise<void>;
}

interface RawSeries {
  readonly labels: Readonly<Record<string, string>>;
  readonly values: readonly number[];
}

interface QueryResult {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const ANSWER = v.object({
  status: v.literal('success'),
  data: v.object({
    resultType: v.literal('vector'),
    result: v.array(
      v.object({ metric: v.record(v.string(), v.string()), value: v.tuple([v.number(), v.string()]) }),
    ),
  }),
});

const MATRIX = v.object({
  status: v.literal('success'),
  data: v.object({
    resultType: v.literal('matrix'),
    result: v.array(
      v.object({
        metric: v.record(v.string(), v.string()),
        values: v.array(v.tuple([v.number(), v.string()])),
      }),
    ),
  }),
});

/** Between queries: Prometheus tells nobody when it has scraped. */
const QUERY_PAUSE_MS = 100;

export interface PrometheusOptions {
  /** Taken if it is free; default: any. */
  readonly preferredPort?: number;
  /** Of scrapes and of rules; default `1s`. */
  readonly interval?: string;
  /** Text of a rules file. */
  readonly rules?: string;
  /** A folder of blocks for its storage; default: an empty one of its own. */
  readonly storage?: string;
  /** `host:port` of an Alertmanager. */
  readonly alertmanager?: string;
}

/** Starts a Prometheus that scrapes the targets (`host:port`), and waits until it is ready. */
export async function startPrometheus(
  targets: readonly string[],
  { preferredPort = 0, interval = '1s', rules, storage, alertmanager }: PrometheusOptions = {},
): Promise<Prometheus> {
  const folder = mkdtempSync(join(tmpdir(), 'prometheus-'));
  const file = join(folder, 'prometheus.yml');
  writeFileSync(
    file,
    JSON.stringify({
      global: { scrape_interval: interval, evaluation_interval: interval },
      rule_files: rules === undefined ? [] : ['rules.yml'],
      alerting: {
        alertmanagers: alertmanager === undefined ? [] : [{ static_configs: [{ targets: [alertmanager] }] }],
      },
      scrape_configs: [{ job_name: 'gke-disruption-exporter', static_configs: [{ targets }] }],
    }),
  );
  if (rules !== undefined) writeFileSync(join(folder, 'rules.yml'), rules);
  const port = await freePort(preferredPort);
  const url = `http://127.0.0.1:${port}`;
  const server = await startServer(requireTool('prometheus'), url, [
    `--config.file=${file}`,
    `--storage.tsdb.path=${storage ?? join(folder, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ]);
  const query = (expression: string): Promise<readonly QueryResult[]> => instantQuery(url, expression);
  return {
    url,
    query,
    samples: (selector) => rawSamples(url, selector),
    queryUntil: async (expression, condition) => {
      const deadline = Date.now() + 60_000;
      while (true) {
        const result = await query(expression);
        if (condition(result)) return result;
        if (Date.now() > deadline)
          throw new Error(`${expression}: not within 60 s; the last result: ${JSON.stringify(result)}`);
        await delay(QUERY_PAUSE_MS);
      }
    },
    stop: async () => {
      await server.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

async function instantQuery(url: string, expression: string): Promise<readonly QueryResult[]> {
  const answer = await fetch(`${url}/api/v1/query?${new URLSearchParams({ query: expression })}`);
  const { data } = v.parse(ANSWER, await answer.json());
  return data.result.map(({ metric, value: [, value] }) => ({ labels: metric, value: Number(value) }));
}

async function rawSamples(url: string, selector: string): Promise<readonly RawSeries[]> {
  const answer = await fetch(`${url}/api/v1/query?${new URLSearchParams({ query: selector })}`);
  const { data } = v.parse(MATRIX, await answer.json());
  return data.result.map(({ metric, values }) => ({
    labels: metric,
    values: values.map(([, value]) => Number(value)),
  }));
}
