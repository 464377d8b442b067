/** A GraphQL server of its own, whose schema can be exchanged while it runs. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSchema, createYoga } from 'graphql-yoga';

export interface Upstream {
  readonly url: string;
  /** Offers this from now on. */
  offer(typeDefs: string): void;
  stop(): Promise<void>;
}

/** Objects come from `rootValue`, by the names of fields. */
export async function startUpstream(typeDefs: string, rootValue: Readonly<Record<string, unknown>>): Promise<Upstream> {
  let schema = schemaOf(typeDefs, rootValue);
  const yoga = createYoga({ schema: () => schema, logging: false, graphiql: false });
  const server = createServer(yoga).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`,
    offer: (changed) => {
      schema = schemaOf(changed, rootValue);
    },
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function schemaOf(typeDefs: string, rootValue: Readonly<Record<string, unknown>>) {
  const known = /type Query \{([\s\S]*?)\n? *\}/.exec(typeDefs)?.[1] ?? '';
  const fields = Object.entries(rootValue).filter(([name]) => new RegExp(`\\b${name}\\b`).test(known));
  const Query = Object.fromEntries(fields.map(([name, value]) => [name, () => value]));
  return createSchema({ typeDefs, resolvers: { Query } });
}
