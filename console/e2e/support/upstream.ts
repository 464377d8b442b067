/** A GraphQL server whose schema can be replaced while it runs. */
import { startGraphQLServer } from '../../../server/test/support/http/graphql-server.ts';

export interface Upstream {
  readonly url: string;
  /** Serves this schema from now on. */
  offer(typeDefs: string): void;
  stop(): Promise<void>;
}

/** Resolves root fields with the members of `rootValue`. */
export async function startUpstream(typeDefs: string, rootValue: Readonly<Record<string, unknown>>): Promise<Upstream> {
  const server = await startGraphQLServer(typeDefs, rootValue);
  return { url: server.url, offer: (changed) => server.replaceSchema(changed, rootValue), stop: server.close };
}
