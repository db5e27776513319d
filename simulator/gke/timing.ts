const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** A duration of GKE's time that differs from case to case. */
export interface Range {
  readonly shortestMs: number;
  readonly longestMs: number;
}

function range(shortestMs: number, longestMs: number): Range {
  return { shortestMs, longestMs };
}

/**
 * How long GKE takes for each step. "Observed" is on an A4 node of GKE 1.35 without graceful termination, by a poller that
 * looked every 32 s; "assumed" is a guess that nothing speaks against.
 */
export const TIMING = {
  /** From the operator's label, or the start of the window, to the record that says ONGOING. Observed: 28 to 53 s. */
  reaction: range(28 * SECOND, 53 * SECOND),
  /** The new window begins this long after GKE re-anchored it. Observed. */
  windowStart: 10 * SECOND,
  /** Length of the re-anchored window, less a second. Observed. */
  windowLength: 4 * HOUR,
  /** From there to the taint maintenance-window-started. Observed: 30 s. */
  windowTaint: 30 * SECOND,
  /** From the taint to NotReady. Observed: 17 min 8 s. */
  nodeDown: 17 * MINUTE,
  /** With graceful termination: from the taint to `terminating`. Documented: up to an hour; assumed. */
  terminating: 12 * MINUTE,
  /** From NotReady to unreachable. Observed: 62 s. */
  unreachable: 60 * SECOND,
  /** From NotReady to Ready. Observed: 4 h 11 min, past the end of the window. */
  repair: 4 * HOUR + 11 * MINUTE,
  /** From Ready to the removal of the taint. Observed: 24 s, and about 2 min on another node. */
  windowTaintRemoved: range(24 * SECOND, 2 * MINUTE),
  /** From there to the removal of record and labels. Observed: still ONGOING after 3 h 30 min. */
  cleared: 3.5 * HOUR,
  /** A Spot VM's notice: from NotReady to the end of the VM. Documented: 30 s. */
  preemptionNotice: 30 * SECOND,
  /** From the end of a VM to the next one's Node object. Assumed. */
  recreation: range(60 * SECOND, 2 * MINUTE),
  /** From a dead host to Ready Unknown: node-monitor-grace-period of Kubernetes. Documented: 50 s. */
  monitorGrace: 50 * SECOND,
  /** From a dead host to the VM's restart on another. Assumed. */
  hostErrorRepair: 8 * MINUTE,
  /** Drain of a node that is upgraded or moved. Assumed. */
  drain: 2 * MINUTE,
  /** Kubelet's nodeStatusReportFrequency when nothing changes. Documented: 5 min. */
  heartbeat: 5 * MINUTE,
} as const;

/** A duration in a range, always the same for the same seed (a node, or a pool whose nodes act together). */
export function within({ shortestMs, longestMs }: Range, seed: string): number {
  let hash = 0;
  for (const character of seed) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 1_000_003;
  return shortestMs + ((longestMs - shortestMs) * hash) / 1_000_003;
}
