import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InterruptionSeries } from './interruption-series.ts';

describe('InterruptionSeries', () => {
  it('counts what ended after an instant and not after another', () => {
    const series = new InterruptionSeries();
    for (const [endTime, count] of [
      [30, 3],
      [10, 1],
      [20, 2],
    ] as const)
      series.add(endTime, count);
    expect(series.count(10, 30)).toBe(5);
    expect(series.count(9, 29)).toBe(3);
    expect(series.count(30, 99)).toBe(0);
    expect(series.firstAfter(10)).toBe(20);
    expect(series.firstAfter(30)).toBeUndefined();
    expect(series.last).toBe(30);
  });

  it('says whether a point brought something new', () => {
    const series = new InterruptionSeries();
    expect(series.add(10, 1)).toBe(true);
    expect(series.add(10, 1)).toBe(false);
    expect(series.count(0, 10)).toBe(1);
    expect(series.add(10, 3)).toBe(true);
    expect(series.add(10, 2)).toBe(false);
    expect(series.count(0, 10)).toBe(3);
    expect(series.length).toBe(1);
  });

  it('agrees with a plain map, whatever the order of points, repetitions and questions', () => {
    const step = fc.oneof(
      fc.record({ add: fc.integer({ min: 0, max: 50 }), count: fc.integer({ min: 1, max: 5 }) }),
      fc.record({ forget: fc.integer({ min: 0, max: 50 }) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 0, max: 50 }), (steps, from) => {
        const series = new InterruptionSeries();
        const model = new Map<number, number>();
        for (const each of steps) {
          if ('add' in each) series.add(each.add, each.count);
          else series.forget(each.forget);
          changeModel(model, each);
          expect(answersOf(series, from)).toEqual(answersOfModel(model, from));
        }
      }),
      { numRuns: 2000 },
    );
  });
});

type Step = { readonly add: number; readonly count: number } | { readonly forget: number };

function changeModel(model: Map<number, number>, step: Step): void {
  if ('add' in step) model.set(step.add, Math.max(model.get(step.add) ?? 0, step.count));
  else for (const endTime of model.keys()) if (endTime <= step.forget) model.delete(endTime);
}

function answersOf(series: InterruptionSeries, from: number) {
  const { length, last } = series;
  return { length, last, counted: series.count(from, from + 10), next: series.firstAfter(from) };
}

function answersOfModel(model: ReadonlyMap<number, number>, from: number): ReturnType<typeof answersOf> {
  const endTimes = [...model.keys()].sort((a, b) => a - b);
  const within = endTimes.filter((endTime) => endTime > from && endTime <= from + 10);
  return {
    length: endTimes.length,
    last: endTimes.at(-1),
    counted: within.reduce((sum, endTime) => sum + (model.get(endTime) ?? 0), 0),
    next: endTimes.find((endTime) => endTime > from),
  };
}
