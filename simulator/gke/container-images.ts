import { createHash } from 'node:crypto';
import type { ContainerImage } from '../kubernetes/resource.ts';

const IMAGES = [
  'gke-release/netd',
  'gke-release/fluent-bit',
  'gke-release/gke-metrics-agent',
  'gke-release/csi-node-driver-registrar',
  'gke-release/gcp-compute-persistent-disk-csi-driver',
  'gke-release/gke-metadata-server',
  'gke-release/nvidia-gpu-device-plugin',
  'gke-release/node-problem-detector',
  'gke-release/ip-masq-agent',
  'gke-release/prometheus-engine/prometheus',
] as const;

/**
 * The images that a kubelet reports, at most 50 by its default. Most of the text of a node. Frozen, so that all nodes share
 * one list.
 */
export function containerImages(count: number): readonly ContainerImage[] {
  const images = Array.from({ length: count }, (_, index): ContainerImage => {
    const name = `us-central1-artifactregistry.gcr.io/gke-release/${IMAGES[index % IMAGES.length]}`;
    const digest = createHash('sha256').update(`${name}${index}`).digest('hex');
    return Object.freeze({
      names: Object.freeze([`${name}@sha256:${digest}`, `${name}:v1.${index}.0-gke.${index % 9}`]),
      sizeBytes: 400_000_000 - index * 7_654_321,
    });
  });
  return Object.freeze(images);
}
