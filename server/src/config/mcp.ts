/** The options of the MCP server. */
import { z } from 'zod';
import { type McpScope, mcpScopes } from '../auth/scopes.ts';
import { ServiceError } from '../base/errors.ts';
import type { CollectionChoice } from '../service/mcp/saved-operations.ts';
import { flag, listOf, whole } from './values.ts';

const collections = z.string().transform((written): CollectionChoice => {
  if (written === 'allowed' || written === 'all') return written;
  return written
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
});

const publicUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .refine((written) => {
    const { pathname, search, hash, username } = new URL(written);
    return pathname === '/' && search === '' && hash === '' && username === '';
  }, 'must be an origin such as https://data.example.com, without a path')
  .transform((written) => new URL(written).origin);

export const mcpOptions = {
  enableMcp: {
    name: 'ENABLE_MCP',
    meaning: 'serve the MCP server for agents at /mcp; see /docs/mcp',
    fallback: 'false',
    parse: flag,
  },
  mcpCollections: {
    name: 'MCP_COLLECTIONS',
    meaning:
      'query collections whose operations are tools: allowed, for those on the allow list of the role; all; or their names, separated by commas',
    fallback: 'allowed',
    parse: collections,
  },
  mcpMutations: {
    name: 'MCP_MUTATIONS',
    meaning: 'the tool run_operation runs mutations too; saved mutations are tools regardless',
    fallback: 'false',
    parse: flag,
  },
  mcpScopes: {
    name: 'MCP_SCOPES',
    meaning: `scopes of the tools for developers at /mcp/admin, which are disabled without: ${mcpScopes.join(', ')}`,
    fallback: undefined,
    parse: listOf(mcpScopes),
  },
  mcpMaxResult: {
    name: 'MCP_MAX_RESULT',
    meaning: 'maximum characters in the result of a tool',
    fallback: '65536',
    parse: whole(1_024, 16_777_216),
  },
  publicUrl: {
    name: 'PUBLIC_URL',
    meaning:
      'the address of the service for clients, such as https://data.example.com, in the metadata of the MCP server for OAuth. Default: the host of the request',
    fallback: undefined,
    parse: publicUrl,
  },
} as const;

interface McpConfig {
  readonly enableMcp: boolean;
  readonly mcpCollections: CollectionChoice;
  readonly mcpMutations: boolean;
  readonly mcpScopes: readonly McpScope[] | undefined;
  readonly publicUrl: string | undefined;
}

/** Throws `invalid-configuration` for options that have no effect without the MCP server. */
export function checkMcp(config: McpConfig): void {
  if (config.enableMcp) return;
  const given = [
    ...(config.mcpScopes === undefined ? [] : ['JOINERY_MCP_SCOPES']),
    ...(config.mcpMutations ? ['JOINERY_MCP_MUTATIONS'] : []),
    ...(config.mcpCollections === 'allowed' ? [] : ['JOINERY_MCP_COLLECTIONS']),
    ...(config.publicUrl === undefined ? [] : ['JOINERY_PUBLIC_URL']),
  ];
  if (given.length === 0) return;
  const message = `${given.join(', ')} has no effect without the MCP server; set JOINERY_ENABLE_MCP=true`;
  throw new ServiceError('invalid-configuration', message);
}
