import type { Exchange } from '@coracle/apimachinery';
import { seededRandom, VirtualClock } from '@coracle/base';
import {
  type ClientHarness,
  describeClient,
  refuseWatchLists,
  startPermissiveApiServer,
  virtualTime,
  watchListRefusals,
} from '@coracle/testing';
import { expect, test } from 'vitest';
import type { Client } from './client.js';
import { createClient } from './create-client.js';
import { protobufCodec } from './rest/protobuf-codec.js';

const user = { name: 'admin', groups: ['system:masters'] };

async function harness(connect: (exchange: Exchange) => Client): Promise<ClientHarness> {
  const clock = new VirtualClock();
  const random = seededRandom(1);
  const server = await startPermissiveApiServer({ clock, random });
  return {
    client: connect(server.exchange),
    clock,
    random,
    namespace: 'default',
    ...virtualTime(clock),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

describeClient('in process', () => harness((exchange) => createClient({ transport: { exchange }, user })));

/** As bytes, like a client on a socket. */
describeClient('over bytes', () =>
  harness((exchange) =>
    createClient({ transport: { exchange: (request) => exchange({ ...request, peer: { user } }) } }),
  ),
);

test('bodies are protobuf in both directions', async () => {
  const types: (string | readonly string[] | undefined)[] = [];
  await using reached = await harness((exchange) =>
    createClient({
      transport: {
        exchange: async (request) => {
          const response = await exchange({ ...request, peer: { user } });
          types.push(request.headers['content-type'], response.headers['content-type']);
          return response;
        },
      },
      codec: protobufCodec,
    }),
  );
  await reached.client.configMaps('default').create({ metadata: { name: 'a' } });
  for await (const _ of reached.client.configMaps('default').watch()) break;
  const media = 'application/vnd.kubernetes.protobuf';
  expect(types).toEqual([media, media, undefined, `${media};stream=watch`]);
});

describeClient('over bytes in protobuf', () =>
  harness((exchange) =>
    createClient({
      transport: { exchange: (request) => exchange({ ...request, peer: { user } }) },
      codec: protobufCodec,
    }),
  ),
);

for (const refusal of watchListRefusals)
  describeClient(`with a server whose answer to a watch list is ${refusal}`, () =>
    harness((exchange) =>
      createClient({
        transport: { exchange: refuseWatchLists((request) => exchange({ ...request, peer: { user } }), refusal) },
      }),
    ),
  );
