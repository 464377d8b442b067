/** A service with the tables, the remote schema and the settings that the test projects use. */
import { readFile } from 'node:fs/promises';
import { startGraphQLServer } from '../../../server/test/support/http/graphql-server.ts';
import { startService, type TestService } from '../../../server/test/support/service/test-service.ts';

const reviews = `
  type Query { reviews(article: Int!): [Review!] }
  type Review { id: Int! articleId: Int! stars: Int }
`;

/** Starts the service. `stop` stops it and its remote schema. */
export async function metadataService(environment: Readonly<Record<string, string>> = {}): Promise<TestService> {
  const remote = await startGraphQLServer(reviews, {
    reviews: ({ article }: { readonly article: number }) => [{ id: 1, articleId: article, stars: 5 }],
  });
  const settings = {
    HANDLERS: 'http://127.0.0.1:9',
    REVIEWS_URL: remote.url,
    VALIDATE_KEY: 'v',
    PUBLISH_KEY: 'p',
    ...environment,
  };
  const sql = await readFile(new URL('../projects/setup.sql', import.meta.url), 'utf8');
  const service = await startService(settings, { sql });
  return {
    ...service,
    stop: async () => {
      await service.stop();
      await remote.close();
    },
  };
}
