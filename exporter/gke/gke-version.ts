/** A GKE version: Kubernetes' three numbers and GKE's own build number. */
export type GkeVersion = readonly [major: number, minor: number, patch: number, gkeBuild: number];

const GKE_VERSION = /^v?(\d{1,9})\.(\d{1,9})\.(\d{1,9})-gke\.(\d{1,15})$/u;

/** Reads `1.35.6-gke.1234000`, with or without the `v` that the kubelet puts before it; undefined for anything else. */
export function parseGkeVersion(text: string): GkeVersion | undefined {
  const match = GKE_VERSION.exec(text);
  if (match === null) return undefined;
  const [, major, minor, patch, gkeBuild] = match;
  return [Number(major), Number(minor), Number(patch), Number(gkeBuild)];
}

/** Whether `version` is `first` or newer; numbers are compared as numbers, so 1.31.1-gke.2008000 is before 1.31.10-gke.1. */
export function isAtLeast(version: GkeVersion, first: GkeVersion): boolean {
  for (const [position, number] of version.entries()) {
    const difference = number - (first[position] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}
