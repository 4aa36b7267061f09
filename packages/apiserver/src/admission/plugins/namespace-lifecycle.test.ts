import { describe, expect, test } from 'vitest';
import { MemoryObjects } from '../../memory-objects.fixture.js';
import { admit, pod, thing, type Write } from './admit.fixture.js';
import { namespaceLifecycle } from './namespace-lifecycle.js';

describe('ADM-15 NamespaceLifecycle', () => {
  const plugin = namespaceLifecycle({
    objects: new MemoryObjects([
      thing('Namespace', 'default'),
      thing('Namespace', 'leaving', { status: { phase: 'Terminating' } }),
    ]),
  });
  const cases: { name: string; write: Write; error?: string }[] = [
    { name: 'lets things into a namespace that is there', write: { object: pod() } },
    {
      name: 'lets nothing into one that is not',
      write: { object: pod(), namespace: 'gone' },
      error: 'namespaces "gone" not found',
    },
    {
      name: 'lets nothing new into one that goes',
      write: { object: pod(), namespace: 'leaving' },
      error: 'pods "p" is forbidden: unable to create new content in namespace leaving because it is being terminated',
    },
    { name: 'lets things there change', write: { object: pod(), namespace: 'leaving', operation: 'UPDATE' } },
    { name: 'lets everything go', write: { namespace: 'gone', operation: 'DELETE' } },
    {
      name: 'allows reviews of access',
      write: {
        namespace: 'gone',
        resource: 'authorization.k8s.io/localsubjectaccessreviews',
        object: thing('LocalSubjectAccessReview', ''),
      },
    },
    {
      name: 'keeps namespaces that must stay',
      write: {
        resource: 'namespaces',
        namespace: '',
        operation: 'DELETE',
        name: 'kube-system',
        kind: { group: '', version: 'v1', kind: 'Namespace' },
      },
      error: 'namespaces "kube-system" is forbidden: this namespace may not be deleted',
    },
    {
      name: 'lets others go',
      write: {
        resource: 'namespaces',
        namespace: '',
        operation: 'DELETE',
        name: 'mine',
        kind: { group: '', version: 'v1', kind: 'Namespace' },
      },
    },
  ];

  test.each(cases)('$name', async ({ write, error }) => {
    expect((await admit(plugin, write)).error).toBe(error);
  });
});
