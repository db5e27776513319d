import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sample } from './catalogue.ts';
import { Store } from './store.ts';

function requested(node: string, value = 1): ReturnType<typeof sample> {
  return sample('gke_node_perform_maintenance_requested', { node, node_pool: 'p' }, value);
}

function poolNodes(nodePool: string, value: number): ReturnType<typeof sample> {
  return sample('gke_node_pool_nodes', { node_pool: nodePool }, value);
}

/** The lines that are samples. */
function samplesOf(store: Store): string[] {
  return store
    .expose('text')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
}

describe('Store', () => {
  it('is empty text without samples', () => {
    expect(new Store().expose('text')).toBe('');
  });

  it('writes each family once, in the order of the catalogue, whoever filled it', () => {
    const store = new Store();
    const [first, second] = [store.part(), store.part()];
    first.replace('a', [requested('a'), poolNodes('p', 1)]);
    second.replace('b', [poolNodes('q', 2), requested('b')]);
    expect(
      store.expose('text'),
    ).toBe(`# HELP gke_node_pool_nodes Number of nodes of a node pool that exist in the Kubernetes API.
# TYPE gke_node_pool_nodes gauge
gke_node_pool_nodes{node_pool="p"} 1
gke_node_pool_nodes{node_pool="q"} 2
# HELP gke_node_perform_maintenance_requested An operator asked for the maintenance now (label cloud.google.com/perform-maintenance=true) and GKE has not taken the request yet, always 1.
# TYPE gke_node_perform_maintenance_requested gauge
gke_node_perform_maintenance_requested{node="a",node_pool="p"} 1
gke_node_perform_maintenance_requested{node="b",node_pool="p"} 1
`);
  });

  it('replaces all that a key said, family by family', () => {
    const store = new Store();
    const part = store.part();
    part.replace('a', [requested('a'), poolNodes('p', 1)]);
    part.replace('a', [poolNodes('p', 2)]);
    expect(samplesOf(store)).toEqual(['gke_node_pool_nodes{node_pool="p"} 2']);
  });

  it('forgets a key', () => {
    const store = new Store();
    const part = store.part();
    part.replace('a', [requested('a')]);
    part.replace('b', [requested('b')]);
    part.delete('a');
    part.delete('never there');
    expect(samplesOf(store)).toEqual(['gke_node_perform_maintenance_requested{node="b",node_pool="p"} 1']);
  });

  it('forgets everything', () => {
    const store = new Store();
    const part = store.part();
    part.replace('a', [requested('a')]);
    expect(samplesOf(store)).toHaveLength(1);
    part.clear();
    expect(store.expose('text')).toBe('');
  });

  it('hides a part for as long as it is not visible, and only that', () => {
    const store = new Store();
    let isVisible = false;
    store.part(() => isVisible).replace('a', [requested('a')]);
    store.part().replace('b', [poolNodes('p', 1)]);
    expect(samplesOf(store)).toHaveLength(1);
    isVisible = true;
    expect(samplesOf(store)).toHaveLength(2);
  });

  it('always says what was said last of each key, whatever the order of changes and scrapes', () => {
    const key = fc.constantFrom('a', 'b', 'c');
    const change = fc.oneof(
      fc.record({
        kind: fc.constant('replace' as const),
        key,
        families: fc.subarray(['requested', 'pool']),
        value: fc.nat(3),
      }),
      fc.record({ kind: fc.constant('delete' as const), key }),
      fc.record({ kind: fc.constant('scrape' as const) }),
    );
    fc.assert(
      fc.property(fc.array(change), (changes) => {
        const store = new Store();
        const part = store.part();
        const expected = new Map<string, string[]>();
        for (const each of changes) {
          if (each.kind === 'scrape') store.expose('text');
          else if (each.kind === 'delete') {
            part.delete(each.key);
            expected.delete(each.key);
          } else {
            const { value } = each;
            part.replace(
              each.key,
              each.families.map((name) =>
                name === 'pool' ? poolNodes(each.key, value) : requested(each.key, value),
              ),
            );
            expected.set(
              each.key,
              each.families.map((name) =>
                name === 'pool'
                  ? `gke_node_pool_nodes{node_pool="${each.key}"} ${value}`
                  : `gke_node_perform_maintenance_requested{node="${each.key}",node_pool="p"} ${value}`,
              ),
            );
          }
        }
        expect(new Set(samplesOf(store))).toEqual(new Set([...expected.values()].flat()));
        expect(samplesOf(store)).toHaveLength([...expected.values()].flat().length);
      }),
    );
  });
});
