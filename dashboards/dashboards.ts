import { exporter } from './exporter.ts';
import { google } from './google.ts';
import { interruptions } from './interruptions.ts';
import { type Dashboard, layOut } from './layout.ts';
import { maintenance } from './maintenance.ts';
import { node } from './node.ts';
import { overview } from './overview.ts';

/** All dashboards, in the order in which they are read. The names are those of their files. */
export function dashboards(): ReadonlyMap<string, Dashboard> {
  return new Map(
    Object.entries({ overview, maintenance, interruptions, node, exporter, google }).map(
      ([name, content]) => [name, layOut(content())],
    ),
  );
}
