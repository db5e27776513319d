import * as v from 'valibot';
import { parse } from 'yaml';
import { type InvalidValue, showValue } from './invalid-value.ts';

const KEY = 'maintenance-experience.yaml';

const CONFIG_MAP = v.object({ data: v.nullish(v.record(v.string(), v.string()), {}) });
const SETTINGS = v.pipe(
  v.unknown(),
  v.check((settings) => !Array.isArray(settings)),
  v.object({ gracefulTermination: v.optional(v.boolean(), false) }),
);

/** Whether graceful termination is on; `enabled` is undefined where that cannot be read. */
export interface GracefulTermination {
  readonly enabled: boolean | undefined;
  readonly invalid: InvalidValue | undefined;
}

/** Reads the ConfigMap kube-system/gke-disruption-handling. A key that is absent or empty means off. Throws when the object is no ConfigMap. */
export function parseGracefulTermination(object: unknown): GracefulTermination {
  const { data } = v.parse(CONFIG_MAP, object);
  const text = data[KEY] ?? '';
  try {
    const { gracefulTermination } = v.parse(SETTINGS, parse(text) ?? {});
    return { enabled: gracefulTermination, invalid: undefined };
  } catch {
    return { enabled: undefined, invalid: { source: 'configmap', field: KEY, value: showValue(text) } };
  }
}
