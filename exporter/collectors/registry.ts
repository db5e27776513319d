import type { CollectorDefinition } from './collector.ts';
import { computeCollector } from './compute.ts';
import { eventsCollector } from './events.ts';
import { gracefulTerminationCollector } from './graceful-termination.ts';
import { metadataCollector } from './metadata.ts';
import { monitoringCollector } from './monitoring.ts';
import { nodesCollector } from './nodes.ts';

/** Every collector, in the order of `--help`. */
export const collectors: readonly CollectorDefinition[] = [
  nodesCollector,
  eventsCollector,
  gracefulTerminationCollector,
  monitoringCollector,
  metadataCollector,
  computeCollector,
];
