/** Creates the tools of the MCP server, and the settings of its endpoints. */
import { jwtSettingsOf } from '../config/auth.ts';
import type { Config } from '../config/config.ts';
import { installedDocs } from '../http/routes/docs.ts';
import type { McpHttpSettings } from '../http/settings.ts';
import type { DeveloperDependencies } from '../service/mcp/developer/context.ts';
import type { Toolsets } from '../service/mcp/toolsets.ts';
import type { Service } from '../service/service.ts';

interface McpDependencies extends Omit<DeveloperDependencies, 'docs' | 'maxResult' | 'service'> {
  readonly service: DeveloperDependencies['service'] & Pick<Service, 'metadata'>;
}

/** Loads the tools only where the MCP server is enabled; otherwise undefined. */
export async function openMcp(config: Config, dependencies: McpDependencies): Promise<Toolsets | undefined> {
  if (!config.enableMcp) return undefined;
  const { createToolsets } = await import('../service/mcp/toolsets.ts');
  const { metadata } = dependencies.service;
  const docs = config.enableDocs ? installedDocs() : undefined;
  return createToolsets(
    { ...dependencies, metadata, docs, maxResult: config.mcpMaxResult },
    {
      collections: config.mcpCollections,
      mutations: config.mcpMutations,
      scopes: new Set(config.mcpScopes),
    },
  );
}

/** Returns the settings of the endpoints. The issuers of tokens that are URLs are the authorization servers. */
export function mcpHttpSettings(config: Config): McpHttpSettings {
  return {
    publicUrl: config.publicUrl,
    issuers: jwtSettingsOf(config).flatMap(({ issuer }) =>
      issuer !== undefined && /^https?:/.test(issuer) && URL.canParse(issuer) ? [issuer] : [],
    ),
    scopes: config.mcpScopes ?? [],
  };
}
