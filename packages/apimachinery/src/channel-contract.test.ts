import { describeChannel } from '@coracle/testing';
import { channelPair } from './channel.js';

describeChannel('in process', async () => {
  const [near, far] = channelPair('v5.channel.k8s.io');
  return { near, far, [Symbol.asyncDispose]: async () => near[Symbol.dispose]() };
});
