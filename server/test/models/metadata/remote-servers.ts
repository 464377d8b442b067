/** The GraphQL servers that remote schemas refer to, and the schemas that they have. */
import { type GraphQLServer, startGraphQLServer } from '../../support/http/graphql-server.ts';
import type { Upstreams } from './documents.ts';

export type Server = keyof Upstreams;

/** The root field and the object type of each server. */
export const servers = {
  BOOKS: { field: 'book', type: 'Book' },
  FILMS: { field: 'film', type: 'Film' },
} as const satisfies Readonly<Record<Server, { readonly field: string; readonly type: string }>>;

export const serverNames = Object.keys(servers) as readonly Server[];

export function typeOf(server: Server): string {
  return servers[server].type;
}

/** Returns the SDL of a server, which is also that of a permission for all of it. */
export function schemaOf(server: Server, extent: Upstreams[Server]): string {
  const { field, type } = servers[server];
  const more = extent === 'full' ? ' name: String authorId: Int' : '';
  return `type Query { ${field}(id: Int!): ${type} } type ${type} { id: Int!${more} }`;
}

/** Returns the URL of a server in metadata: a variable of the environment of the nodes. */
export function urlOf(server: Server): string {
  return `{{${server}_URL}}`;
}

/** Returns the server of a URL in metadata; undefined for a URL that no server has. */
export function serverOf(url: string): Server | undefined {
  return serverNames.find((server) => urlOf(server) === url);
}

export interface RemoteServers {
  /** The variables that the nodes need. */
  readonly environment: Readonly<Record<string, string>>;
  /** Serves another schema. Nodes read it with `reload_metadata`. */
  replace(server: Server, extent: Upstreams[Server]): void;
  stop(): Promise<void>;
}

/** Starts the servers with all of their fields. */
export async function startRemoteServers(): Promise<RemoteServers> {
  const started = new Map<Server, GraphQLServer>();
  for (const server of serverNames) started.set(server, await startGraphQLServer(schemaOf(server, 'full')));
  return {
    environment: Object.fromEntries([...started].map(([server, { url }]) => [`${server}_URL`, url])),
    replace: (server, extent) => started.get(server)?.replaceSchema(schemaOf(server, extent)),
    stop: async () => {
      for (const server of started.values()) await server.close();
    },
  };
}
