import type { CollectorDefinition } from './collector.ts';
import { monitoringCollector } from './monitoring.ts';
import { nodesCollector } from './nodes.ts';

/** Every collector, in the order of `--help`. */
export const collectors: readonly CollectorDefinition[] = [nodesCollector, monitoringCollector];
