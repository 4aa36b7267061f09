import { describeLogSource } from '@coracle/testing';
import type { ContainerContext } from './image-program.js';
import { node, startTestNodes, web } from './nodes.fixture.js';

describeLogSource('simulated containers', async () => {
  const { nodes, run } = await startTestNodes();
  let inside: ContainerContext | undefined;
  nodes.setImage(web.image ?? '', async (context) => {
    inside = context;
    await new Promise((resolve) => context.signal.addEventListener('abort', resolve));
  });
  await run('web');
  const runtime = nodes.runtimeOf(node);
  const [container] = (await runtime?.listContainers({}))?.containers ?? [];
  if (!runtime || !container) throw new Error('no container runs');
  return {
    source: runtime.logs,
    container: { id: container.id ?? '' },
    unknown: { id: 'missing' },
    writeLine: async (text) => inside?.log(text),
    [Symbol.asyncDispose]: () => nodes[Symbol.asyncDispose](),
  };
});
