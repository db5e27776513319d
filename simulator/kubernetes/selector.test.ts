import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from './object.ts';
import { EVENTS, NODES, PODS } from './resource.ts';
import { fieldSelector, labelSelector } from './selector.ts';

function object(labels: Record<string, string>, rest: Record<string, unknown> = {}): KubernetesObject {
  const metadata = {
    name: 'n',
    namespace: 's',
    uid: 'u',
    resourceVersion: '1',
    creationTimestamp: '',
    labels,
  };
  return { apiVersion: 'v1', kind: 'Node', metadata, ...rest };
}

describe('a label selector', () => {
  const labels = { 'cloud.google.com/gke-nodepool': 'a4', tier: 'gold', rank: '5', empty: '' };
  it.each([
    ['', true],
    ['tier=gold', true],
    ['tier==gold', true],
    [' tier = gold ', true],
    ['tier=silver', false],
    ['tier!=silver', true],
    ['absent!=x', true],
    ['tier in (gold, silver)', true],
    ['tier in (silver)', false],
    ['absent in (x)', false],
    ['tier notin (silver)', true],
    ['absent notin (x)', true],
    ['cloud.google.com/gke-nodepool', true],
    ['!cloud.google.com/gke-nodepool', false],
    ['!absent', true],
    ['empty=', true],
    ['absent=', false],
    ['rank>4', true],
    ['rank<5', false],
    ['cloud.google.com/gke-nodepool in (a4,b),tier=gold', true],
    ['constructor', false],
  ])('%j fits: %j', (text, fits) => {
    expect(labelSelector(text)(object(labels))).toBe(fits);
  });

  it.each(['a b', '=x', 'a in x', 'a=b,,c', 'a in (b'])('%j is refused', (text) => {
    expect(() => labelSelector(text)).toThrow('unable to parse requirement');
  });
});

describe('a field selector', () => {
  it.each([
    [NODES, 'metadata.name=n', true],
    [NODES, 'metadata.name!=n', false],
    [NODES, 'spec.unschedulable=false', true],
    [NODES, 'spec.unschedulable=true', false],
    [PODS, 'spec.nodeName=x,metadata.namespace=s', true],
    [PODS, 'spec.nodeName=x,status.phase!=Failed', true],
    [EVENTS, 'involvedObject.name=x,source=kubelet', true],
    [EVENTS, 'involvedObject.uid=', true],
  ])('of %o: %j fits: %j', (resource, text, fits) => {
    const rest = { spec: { nodeName: 'x' }, involvedObject: { name: 'x' }, source: { component: 'kubelet' } };
    expect(fieldSelector(resource, text)(object({}, rest))).toBe(fits);
  });

  it('names a field that the resource does not offer', () => {
    expect(() => fieldSelector(NODES, 'spec.nodeName=x')).toThrow('field label not supported: spec.nodeName');
    expect(() => fieldSelector(NODES, 'x')).toThrow("can't understand 'x'");
  });
});
