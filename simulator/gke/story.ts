import type { Clock } from './clock.ts';
import type { GkeController } from './gke-controller.ts';
import type { ScenarioEvent } from './scenario.ts';

/**
 * Lets the events of a scenario happen, each at its time since now. Resolves when all that follows from them has happened,
 * or when the clock stops. Rejects when an event cannot happen.
 */
export async function tellStory(
  events: readonly ScenarioEvent[],
  controller: GkeController,
  clock: Clock,
): Promise<void> {
  const start = Date.now();
  try {
    await Promise.all(
      events.map(async (event) => {
        await clock.until(start + event.at / clock.speed);
        await controller.happen(event);
      }),
    );
  } catch (error) {
    if (!(error instanceof Error && error.name === 'AbortError')) throw error;
  }
}
