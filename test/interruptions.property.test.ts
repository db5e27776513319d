import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ERA } from '../exporter/gke/interruption-count.ts';
import {
  byCounter,
  difference,
  HOUR,
  LENGTH,
  live,
  MINUTE,
  type Outage,
  type Point,
  QUIET,
  type Schedule,
  SECOND,
  seenOf,
  sum,
  type Trouble,
  wrongGauges,
} from './interruption-model.ts';

const MANY = { numRuns: 1000 };
const PATIENCE = 300_000;

/** The end of an era, which most runs have in them. */
const BOUNDARY = 700 * ERA;
/** As long as the end of an era takes to be seen. */
const BOUNDARY_TAKES = 30 * MINUTE;

interface Bounds {
  readonly kind: Point['kind'];
  readonly names: readonly string[];
  readonly reasons: readonly string[];
  /** Longest lateness, in milliseconds. */
  readonly lateness: number;
}

/** A number of seconds, in milliseconds; often one of the bounds, where what is wrong shows. */
function seconds(min: number, max: number): fc.Arbitrary<number> {
  return fc
    .oneof(
      { weight: 2, arbitrary: fc.integer({ min: min / SECOND, max: max / SECOND }) },
      { weight: 1, arbitrary: fc.constantFrom(min / SECOND, max / SECOND) },
    )
    .map((number) => number * SECOND);
}

const START = fc.oneof(
  { weight: 1, arbitrary: fc.constant(BOUNDARY + 9 * 24 * HOUR) },
  { weight: 3, arbitrary: seconds(QUIET, LENGTH - QUIET).map((before) => BOUNDARY - before) },
);

function pointsWithin(start: number, { kind, names, reasons, lateness }: Bounds): fc.Arbitrary<Point[]> {
  const first = start + QUIET;
  const last = start + LENGTH - QUIET;
  const endTime = fc.oneof(
    { weight: 3, arbitrary: seconds(first, last) },
    { weight: 2, arbitrary: seconds(-2 * MINUTE, 20 * MINUTE).map((offset) => BOUNDARY + offset) },
    { weight: 1, arbitrary: seconds(start - ERA - 2 * HOUR, start - QUIET) },
  );
  const point = fc
    .record({
      endTime: endTime.filter((at) => at < start || (at >= first && at <= last)),
      late: seconds(0, lateness),
      count: fc.integer({ min: 1, max: 3 }),
      name: fc.constantFrom(...names),
      type: fc.constantFrom('TerminationEvent', 'PreemptionEvent'),
      reason: fc.constantFrom(...reasons),
    })
    .map(({ late, ...rest }): Point => ({ kind, ...rest, visibleAt: rest.endTime + late }));
  return fc.uniqueArray(point, {
    maxLength: 12,
    selector: ({ name, type, reason, endTime: at }) => [name, type, reason, at].join('|'),
  });
}

/** Outages soon after points, where they harm, with room between them. */
function outagesNear(points: readonly Point[], start: number, longest: number): fc.Arbitrary<Outage[]> {
  const near = points.map(({ endTime }) => endTime).filter((endTime) => endTime > start);
  const outage = fc
    .record({
      at: near.length === 0 ? seconds(start, start + LENGTH) : fc.constantFrom(...near),
      after: fc.oneof(
        { weight: 3, arbitrary: fc.integer({ min: 120, max: 330 }).map((after) => after * SECOND) },
        { weight: 1, arbitrary: seconds(0, 16 * MINUTE) },
      ),
      lasts: seconds(SECOND, longest),
    })
    .map(({ at, after, lasts }) => ({ from: at + after, to: at + after + lasts }));
  return fc.array(outage, { maxLength: 8 }).map((drawn) => {
    const outages: Outage[] = [];
    let free = start + 10 * MINUTE;
    for (const { from, to } of drawn.toSorted((a, b) => a.from - b.from)) {
      if (from < free || to > start + LENGTH - 10 * MINUTE) continue;
      outages.push({ from, to });
      free = to + 20 * MINUTE;
    }
    return outages;
  });
}

/** While an era ends the exporter may be away for two minutes: who sees neither end cannot know how far the counter came. */
function sparesEraEnd({ from, to }: Outage): boolean {
  return to - from <= 2 * MINUTE || to < BOUNDARY || from > BOUNDARY + BOUNDARY_TAKES;
}

function troublesWithin(start: number): fc.Arbitrary<Schedule['troubles']> {
  const trouble = fc.record({
    at: seconds(start + 10 * MINUTE, start + LENGTH - QUIET / 2),
    lasts: seconds(SECOND, 10 * MINUTE),
    what: fc.constantFrom<Trouble>('error', 'partial', 'repeated', 'other order'),
  });
  const isHarmless = ({ what }: { readonly what: Trouble }): boolean =>
    what === 'repeated' || what === 'other order';
  return fc
    .array(trouble, { maxLength: 6 })
    .map((troubles) =>
      troubles.filter(
        (each) => isHarmless(each) || each.at + each.lasts < BOUNDARY || each.at > BOUNDARY + BOUNDARY_TAKES,
      ),
    );
}

const SCRAPE = fc.constantFrom(15, 30, 60).chain((interval) =>
  fc.record({
    interval: fc.constant(interval * SECOND),
    phase: seconds(5 * MINUTE, 5 * MINUTE + (interval - 1) * SECOND),
  }),
);

interface Drawing {
  readonly bounds: Bounds;
  readonly longestOutage: number;
  readonly troubles?: (start: number) => fc.Arbitrary<Schedule['troubles']>;
}

function schedules({ bounds, longestOutage, troubles }: Drawing): fc.Arbitrary<Schedule> {
  return START.chain((start) =>
    pointsWithin(start, bounds).chain((points) =>
      fc.record<Schedule>({
        start: fc.constant(start),
        points: fc.constant(points),
        appears: fc.record({ new: seconds(start, start + LENGTH) }),
        outages: outagesNear(points, start, longestOutage).map((outages) => outages.filter(sparesEraEnd)),
        troubles: troubles?.(start) ?? fc.constant([]),
        phase: seconds(0, 59 * SECOND),
        scrape: SCRAPE,
        retention: fc.constantFrom(HOUR, 24 * HOUR),
      }),
    ),
  );
}

/** What was counted of each series, beside what happened. */
async function counted(schedule: Schedule) {
  const scrapes = await live(schedule);
  const counts = Array.from(byCounter(schedule.points), ([key, points]) => ({
    key,
    counted: difference(seenOf(scrapes, key)),
    happened: sum(points.filter(({ endTime }) => endTime > schedule.start)),
  }));
  return { counts, scrapes };
}

it(
  'counts every interruption of a pool that exists exactly, however late, repeated, partial or interrupted the reading',
  async () => {
    const bounds: Bounds = {
      kind: 'node_pool',
      names: ['a', 'b'],
      reasons: ['HostError', 'HW/SW Maintenance'],
      lateness: 10 * MINUTE,
    };
    await fc.assert(
      fc.asyncProperty(
        schedules({ bounds, longestOutage: HOUR, troubles: troublesWithin }),
        async (schedule) => {
          const { counts, scrapes } = await counted(schedule);
          expect(counts.filter((each) => each.counted !== each.happened)).toEqual([]);
          expect(wrongGauges(schedule, scrapes)).toEqual([]);
        },
      ),
      MANY,
    );
  },
  PATIENCE,
);

it.each<[string, Drawing]>([
  [
    'a node',
    {
      bounds: {
        kind: 'node',
        names: ['n1', 'n2'],
        reasons: ['HostError', 'never seen'],
        lateness: 2 * MINUTE,
      },
      longestOutage: 2 * MINUTE,
    },
  ],
  [
    'a new pool, or for a reason never seen',
    {
      bounds: {
        kind: 'node_pool',
        names: ['a', 'new'],
        reasons: ['HostError', 'never seen'],
        lateness: 2.5 * MINUTE,
      },
      longestOutage: 1.5 * MINUTE,
    },
  ],
])(
  'counts every interruption of %s exactly, within the documented lateness and with short outages',
  async (_, drawing) => {
    await fc.assert(
      fc.asyncProperty(schedules(drawing), async (schedule) => {
        const { counts } = await counted(schedule);
        expect(counts.filter((each) => each.counted !== each.happened)).toEqual([]);
      }),
      MANY,
    );
  },
  PATIENCE,
);

it(
  'never counts an interruption of a node twice, whatever the outages and however late',
  async () => {
    const bounds: Bounds = {
      kind: 'node',
      names: ['n1', 'n2'],
      reasons: ['HostError'],
      lateness: 10 * MINUTE,
    };
    await fc.assert(
      fc.asyncProperty(
        schedules({ bounds, longestOutage: 2 * HOUR, troubles: troublesWithin }),
        async (schedule) => {
          const { counts } = await counted(schedule);
          expect(counts.filter((each) => each.counted > each.happened)).toEqual([]);
        },
      ),
      MANY,
    );
  },
  PATIENCE,
);
