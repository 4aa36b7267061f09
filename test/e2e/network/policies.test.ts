import type { networkingv1 } from '@coracle/api';
import { Activity, DisposableStack, silentLogger } from '@coracle/base';
import { createInformers } from '@coracle/client';
import { type Cluster, startCluster } from '@coracle/cluster';
import { PolicyEnforcer, policyTable } from '@coracle/network-policy';
import { createSystemRandom, hasNftTable, nftFilter, systemClock } from '@coracle/platform-nodejs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canMakeMachines } from './machines.js';
import { NodeNetwork, type Pod } from './node-network.js';

type NetworkPolicy = networkingv1.NetworkPolicy;

describe.skipIf(!canMakeMachines)('network policies on a network namespace as the node', { timeout: 120_000 }, () => {
  const parts = new DisposableStack();
  let network: NodeNetwork;
  let cluster: Cluster;
  let web: Pod;
  let friend: Pod;
  let stranger: Pod;
  /** How often rules have been applied in the kernel. */
  let applied = 0;

  /** The Pod object of a network namespace. */
  async function register(name: string, { four, six }: Pod): Promise<void> {
    const pods = cluster.client.pods('default');
    const ports = [{ name: 'http', containerPort: 8080 }];
    const made = await pods.create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, labels: { app: name } },
      spec: { nodeName: 'node', containers: [{ name: 'c', image: 'i', ports }] },
    });
    await pods.updateStatus({
      ...made,
      status: { phase: 'Running', podIP: four, podIPs: [{ ip: four }, { ip: six }] },
    });
  }

  beforeAll(async () => {
    network = await NodeNetwork.make();
    cluster = await startCluster({ listen: false, nodes: 0, authorizationModes: ['AlwaysAllow'] });
    [web, friend, stranger] = [await network.pod('web'), await network.pod('friend'), await network.pod('stranger')];
    for (const [name, pod] of Object.entries({ web, friend, stranger })) await register(name, pod);
    const informers = parts.use(
      createInformers({
        client: cluster.client,
        clock: systemClock,
        random: createSystemRandom(),
        logger: silentLogger,
      }),
    );
    const filter = parts.use(nftFilter({ netns: network.node.netns }));
    parts.use(
      new PolicyEnforcer({
        informers,
        nodeName: 'node',
        apply: async (statements) => {
          await filter.apply(statements);
          // The first write only clears the table.
          if (statements.split('\n').length > 3) applied++;
        },
        hasTable: () => hasNftTable(policyTable, network.node),
        dnsPort: 10_053,
        clock: systemClock,
        logger: silentLogger,
        activity: new Activity(),
      }),
    );
    informers.start();
  }, 120_000);
  afterAll(async () => {
    await parts[Symbol.asyncDispose]();
    await cluster?.stop();
    await network?.[Symbol.asyncDispose]();
  });

  /** Every policy here changes the rules of the node. */
  async function untilApplied(change: () => Promise<unknown>): Promise<void> {
    const before = applied;
    await change();
    for (let i = 0; i < 600 && applied === before; i++) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(applied).toBeGreaterThan(before);
  }
  const enforce = (name: string, spec: NonNullable<NetworkPolicy['spec']>) =>
    untilApplied(() =>
      cluster.client.networkPolicies('default').create({
        apiVersion: 'networking.k8s.io/v1',
        kind: 'NetworkPolicy',
        metadata: { name },
        spec,
      }),
    );
  async function lift(...names: string[]): Promise<void> {
    for (const name of names) await untilApplied(() => cluster.client.networkPolicies('default').delete(name));
  }
  const toWeb = { matchLabels: { app: 'web' } };
  const answered = /^web /;
  const refused = /timed out/;

  test('a denied pod is reached by its node only, and by an allowed pod once a policy exists', async () => {
    expect(await stranger.machine.fetch(web.four, 8080)).toMatch(answered);
    await enforce('deny', { podSelector: toWeb, policyTypes: ['Ingress'] });
    expect(await friend.machine.fetch(web.four, 8080, 1)).toMatch(refused);
    expect(await friend.machine.fetch(web.six, 8080, 1)).toMatch(refused);
    expect(await network.outside.fetch(web.four, 8080, 1)).toMatch(refused);
    expect(await network.node.fetch(web.four, 8080)).toMatch(answered);
    const from = [{ podSelector: { matchLabels: { app: 'friend' } } }];
    await enforce('friends', { podSelector: toWeb, ingress: [{ from, ports: [{ port: 'http' }] }] });
    expect(await friend.machine.fetch(web.four, 8080)).toMatch(answered);
    expect(await friend.machine.fetch(web.six, 8080)).toMatch(answered);
    expect(await stranger.machine.fetch(web.four, 8080, 1)).toMatch(refused);
    await lift('deny', 'friends');
    expect(await stranger.machine.fetch(web.four, 8080)).toMatch(answered);
  });

  test('egress and ingress both have a say; blocks have exceptions', async () => {
    const { podSelector } = { podSelector: { matchLabels: { app: 'stranger' } } };
    await enforce('out', {
      podSelector,
      policyTypes: ['Egress'],
      egress: [{ to: [{ podSelector: toWeb }], ports: [{ port: 8000, endPort: 8100 }] }],
    });
    expect(await stranger.machine.fetch(web.four, 8080)).toMatch(answered);
    expect(await stranger.machine.fetch(friend.four, 8080, 1)).toMatch(refused);
    await enforce('in', { podSelector: toWeb, policyTypes: ['Ingress'] });
    expect(await stranger.machine.fetch(web.four, 8080, 1)).toMatch(refused);
    await lift('in', 'out');
    const ipBlock = { cidr: '192.0.2.0/24', except: ['192.0.2.9/32'] };
    await enforce('block', { podSelector: toWeb, ingress: [{ from: [{ ipBlock }] }] });
    expect(await network.outside.fetch(web.four, 8080, 1)).toMatch(refused);
    await lift('block');
    await enforce('block', { podSelector: toWeb, ingress: [{ from: [{ ipBlock: { cidr: '192.0.2.0/24' } }] }] });
    expect(await network.outside.fetch(web.four, 8080)).toMatch(answered);
    await lift('block');
  });

  test('policies allow queries to the cluster DNS as to a pod', async () => {
    await network.node.serve('dns', 10_053);
    const asks = () => stranger.machine.ask('10.244.1.1', 10_053);
    expect(await asks()).toMatch(/^dns /);
    const podSelector = { matchLabels: { app: 'stranger' } };
    await enforce('none', { podSelector, policyTypes: ['Egress'] });
    expect(await asks()).toBe('');
    const kubeDns = {
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } },
      podSelector: { matchLabels: { 'k8s-app': 'kube-dns' } },
    };
    await enforce('dns', { podSelector, egress: [{ to: [kubeDns], ports: [{ port: 53, protocol: 'UDP' }] }] });
    expect(await asks()).toMatch(/^dns /);
    expect(await stranger.machine.fetch('10.244.1.1', 10_053, 1)).toMatch(refused);
    await lift('none', 'dns');
    expect(await stranger.machine.fetch('10.244.1.1', 10_053, 5)).toMatch(/^dns /);
  });
});
