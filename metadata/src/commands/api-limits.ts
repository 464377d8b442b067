/** API limits and introspection options: set and remove. */
import { z } from 'zod';
import type { Metadata } from '../metadata.ts';
import { ApiLimits, IntrospectionOptions } from '../schema/api-limits.ts';
import { defineCommand } from './edit/command.ts';
import { EditError } from './edit/edit-error.ts';

/** The header of the role, whatever the prefix of headers is. */
const roleHeader = /^x-[^-]+-role$/i;

/** Throws EditError for a rate by the role, which has a rate of its own already. `path` leads to the limits. */
export function rejectRatesByRole({ rate_limit }: ApiLimits, path: string): void {
  if (rate_limit === undefined) return;
  const rates = [
    [rate_limit.global, 'global'] as const,
    ...Object.entries(rate_limit.per_role ?? {}).map(([role, rate]) => [rate, `per_role.${role}`] as const),
  ];
  for (const [{ unique_params }, member] of rates) {
    const index = Array.isArray(unique_params) ? unique_params.findIndex((name) => roleHeader.test(name)) : -1;
    if (index < 0) continue;
    const message = `the callers of each role share a rate already; remove "${unique_params?.[index]}"`;
    throw new EditError('parse-failed', message, `${path}.rate_limit.${member}.unique_params[${index}]`);
  }
}

/** Replaces all limits. */
export const setApiLimits = defineCommand({
  name: 'set_api_limits',
  arguments: ApiLimits,
  apply: (api_limits, metadata): Metadata => {
    rejectRatesByRole(api_limits, '$');
    return { ...metadata, api_limits };
  },
});

export const removeApiLimits = defineCommand({
  name: 'remove_api_limits',
  arguments: z.strictObject({}).nullish(),
  apply: (_args, { api_limits: _removed, ...metadata }): Metadata => metadata,
});

/** Replaces the list of roles. */
export const setIntrospectionOptions = defineCommand({
  name: 'set_graphql_schema_introspection_options',
  arguments: IntrospectionOptions,
  apply: (graphql_schema_introspection, metadata): Metadata => ({ ...metadata, graphql_schema_introspection }),
});
