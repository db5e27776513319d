import fc from 'fast-check';
import mergePatch from 'json-merge-patch';
import { describe, expect, it } from 'vitest';
import { jsonPatch } from './json-patch.ts';
import { isJsonObject, type JsonObject } from './object.ts';
import { applyPatch, PATCH_TYPES } from './patch.ts';
import { strategicMergePatch } from './strategic-merge-patch.ts';

const merge = (target: JsonObject, patch: unknown) => applyPatch(PATCH_TYPES.merge, 'Node', target, patch);

describe('a merge patch', () => {
  it.each([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])('of RFC 7386: %j patched by %j is %j', (target, patch, result) => {
    expect(merge(target, patch)).toEqual(result);
  });

  const key = fc.stringMatching(/^[a-e]$/u);
  const json = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.integer(),
      fc.string(),
      fc.boolean(),
      tie('object'),
      fc.array(fc.integer()),
    ),
    object: fc.dictionary(key, tie('value')),
  }));
  const object = json.object.filter(isJsonObject);

  it('leaves its target as it was', () => {
    fc.assert(
      fc.property(object, object, (target, patch) => {
        const before = structuredClone(target);
        merge(target, patch);
        expect(target).toEqual(before);
      }),
    );
  });

  it('does the second time nothing more', () => {
    fc.assert(
      fc.property(object, object, (target, patch) => {
        const once = merge(target, patch);
        expect(merge(once, patch)).toEqual(once);
      }),
    );
  });

  it('that is the difference of two objects makes the one the other', () => {
    fc.assert(
      fc.property(object, object, (before, after) => {
        const patch: unknown = mergePatch.generate(structuredClone(before), structuredClone(after)) ?? {};
        expect(merge(before, patch)).toEqual({ ...after });
      }),
    );
  });

  it('means the same as a strategic one where no list merges by key', () => {
    fc.assert(
      fc.property(object, object, (target, patch) => {
        expect(strategicMergePatch('ConfigMap', target, patch)).toEqual(merge(target, patch));
      }),
    );
  });
});

describe('a strategic merge patch of a node', () => {
  const node = {
    metadata: { labels: { a: '1', b: '2' }, finalizers: ['x', 'y'] },
    spec: { taints: [{ key: 'k', effect: 'NoSchedule' }], podCIDRs: ['10.0.0.0/24'] },
    status: {
      conditions: [
        { type: 'Ready', status: 'True', reason: 'r' },
        { type: 'DiskPressure', status: 'False' },
      ],
      addresses: [{ type: 'InternalIP', address: '10.0.0.1' }],
      images: [{ names: ['one'] }],
    },
  };
  const patched = (patch: JsonObject) => strategicMergePatch('Node', node, patch) as typeof node;

  it('merges maps, and null deletes', () => {
    expect(patched({ metadata: { labels: { a: null, c: '3' } } }).metadata.labels).toEqual({
      b: '2',
      c: '3',
    });
  });

  it('replaces the taints: they are one list', () => {
    const taints = [{ key: 'other', effect: 'NoExecute' }];
    expect(patched({ spec: { taints } }).spec.taints).toEqual(taints);
  });

  it('merges conditions and addresses by their type', () => {
    const { status } = patched({
      status: {
        conditions: [
          { type: 'Ready', status: 'False' },
          { type: 'New', status: 'True' },
        ],
        addresses: [{ type: 'Hostname', address: 'h' }],
        images: [],
      },
    });
    expect(status).toEqual({
      conditions: [
        { type: 'Ready', status: 'False', reason: 'r' },
        { type: 'DiskPressure', status: 'False' },
        { type: 'New', status: 'True' },
      ],
      addresses: [...node.status.addresses, { type: 'Hostname', address: 'h' }],
      images: [],
    });
  });

  it.each([
    [
      'deletes an item of a list',
      { status: { conditions: [{ type: 'Ready', $patch: 'delete' }] } },
      ['DiskPressure'],
    ],
    ['replaces a list', { status: { conditions: [{ $patch: 'replace' }, { type: 'A' }] } }, ['A']],
    [
      'orders a list',
      { status: { '$setElementOrder/conditions': [{ type: 'DiskPressure' }, { type: 'Ready' }] } },
      ['DiskPressure', 'Ready'],
    ],
  ])('%s by a directive', (_, patch, types) => {
    expect(patched(patch).status.conditions.map(({ type }) => type)).toEqual(types);
  });

  it('replaces a map, deletes plain values and keeps only named fields by directives', () => {
    expect(patched({ metadata: { labels: { $patch: 'replace', z: '1' } } }).metadata.labels).toEqual({
      z: '1',
    });
    expect(
      patched({ metadata: { '$deleteFromPrimitiveList/finalizers': ['x'] } }).metadata.finalizers,
    ).toEqual(['y']);
    expect(patched({ spec: { $retainKeys: ['taints'] } }).spec).toEqual({ taints: node.spec.taints });
    expect(patched({ spec: { podCIDRs: ['10.0.1.0/24'] } }).spec.podCIDRs).toEqual([
      '10.0.0.0/24',
      '10.0.1.0/24',
    ]);
  });

  it.each([
    [{ spec: { $patch: 'nonsense' } }, 'unknown $patch directive: "nonsense"'],
    [
      { status: { conditions: [{ status: 'True' }] } },
      'status.conditions: map does not contain declared merge key: type',
    ],
    [{ status: { conditions: ['x'] } }, 'status.conditions: items must be objects with type'],
  ])('is refused: %j', (patch, message) => {
    expect(() => patched(patch)).toThrow(message);
  });
});

describe('a JSON patch', () => {
  it.each([
    [{ a: 1 }, [{ op: 'add', path: '/b', value: 2 }], { a: 1, b: 2 }],
    [{ a: [1, 3] }, [{ op: 'add', path: '/a/1', value: 2 }], { a: [1, 2, 3] }],
    [{ a: [1] }, [{ op: 'add', path: '/a/-', value: 2 }], { a: [1, 2] }],
    [{ a: 1, b: 2 }, [{ op: 'remove', path: '/a' }], { b: 2 }],
    [
      { 'a/b': 1, 'c~d': 2 },
      [
        { op: 'replace', path: '/a~1b', value: 3 },
        { op: 'remove', path: '/c~0d' },
      ],
      { 'a/b': 3 },
    ],
    [{ a: 1 }, [{ op: 'move', from: '/a', path: '/b' }], { b: 1 }],
    [
      { a: [1] },
      [
        { op: 'copy', from: '/a', path: '/b' },
        { op: 'add', path: '/b/-', value: 2 },
      ],
      { a: [1], b: [1, 2] },
    ],
    [
      { a: { b: 1 } },
      [
        { op: 'test', path: '/a', value: { b: 1 } },
        { op: 'replace', path: '', value: 5 },
      ],
      5,
    ],
  ])('makes of %j by %j %j', (target, patch, result) => {
    expect(jsonPatch(target, patch)).toEqual(result);
  });

  it.each([
    [[{ op: 'test', path: '/a', value: 2 }], 'testing path /a failed'],
    [[{ op: 'remove', path: '/x' }], 'path /x does not exist'],
    [[{ op: 'add', path: '/x/y', value: 1 }], 'path /x/y does not exist'],
    [[{ op: 'add', path: '/l/01', value: 1 }], 'path /l/01 does not exist'],
    [[{ op: 'add', path: '/l/3', value: 1 }], 'path /l/3 does not exist'],
    [[{ op: 'add', path: '/__proto__/x', value: 1 }], 'path /__proto__/x does not exist'],
    [{ op: 'add' }, 'error decoding patch'],
    [[{ op: 'launch', path: '/a' }], 'error decoding patch'],
  ])('is refused: %j', (patch, message) => {
    expect(() => jsonPatch({ a: 1, l: [1] }, patch)).toThrow(message);
  });
});

it('a patch of another content type is refused', () => {
  expect(() => applyPatch('application/apply-patch+yaml', 'Node', {}, {})).toThrow(
    'accepted media types include',
  );
});
