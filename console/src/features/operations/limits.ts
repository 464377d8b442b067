/** API limits as table lines, and URLs of REST endpoints. Pure. */
import { type LimitKey, limitKeys } from './limits-draft.ts';
import type { Endpoint } from './operations-api.ts';

export interface LimitLine {
  readonly key: string;
  readonly label: string;
  readonly global: string;
  /** Roles with a limit and its value. */
  readonly roles: readonly (readonly [role: string, limit: string])[];
}

/** The label and the unit of each limit. */
export const limitTexts: Readonly<Record<LimitKey, { readonly label: string; readonly unit: string }>> = {
  depth_limit: { label: 'Depth', unit: 'levels of selections' },
  node_limit: { label: 'Nodes', unit: 'fields in an operation' },
  batch_limit: { label: 'Batch', unit: 'operations in a request' },
  row_limit: { label: 'Rows', unit: 'rows of one list' },
  time_limit: { label: 'Time', unit: 'seconds' },
  rate_limit: { label: 'Rate', unit: 'requests a minute' },
};

/** Returns the limits that are set. */
export function linesOf(limits: Readonly<Record<string, unknown>> | undefined): readonly LimitLine[] {
  return limitKeys.flatMap((key) => {
    const { label, unit } = limitTexts[key];
    const limit = limits?.[key] as { global: unknown; per_role?: Readonly<Record<string, unknown>> } | undefined;
    if (limit === undefined) return [];
    const roles = Object.entries(limit.per_role ?? {}).map(([role, own]) => [role, printed(own, unit)] as const);
    return [{ key, label, global: printed(limit.global, unit), roles }];
  });
}

function printed(limit: unknown, unit: string): string {
  if (typeof limit !== 'object' || limit === null) return `${Number(limit).toLocaleString('en')} ${unit}`;
  const { max_reqs_per_min: most, unique_params: by } = limit as { max_reqs_per_min: number; unique_params?: unknown };
  const each = by === 'IP' ? ' for each address' : Array.isArray(by) ? ` for each ${by.join(', ')}` : '';
  return `${most.toLocaleString('en')} ${unit}${each}`;
}

/** Returns the path of an endpoint. */
export function pathOf({ url }: Pick<Endpoint, 'url'>): string {
  return `/api/rest/${url.replace(/^\/+/, '')}`;
}

/** Whether a browser can open the endpoint: GET without path variables. */
export function isFollowed({ url, methods }: Pick<Endpoint, 'url' | 'methods'>): boolean {
  return methods.includes('GET') && !url.split('/').some((segment) => segment.startsWith(':'));
}

export function curlOf(endpoint: Endpoint, origin: string, headerPrefix: string): string {
  const method = endpoint.methods[0] ?? 'GET';
  return [
    `curl${method === 'GET' ? '' : ` -X ${method}`} "${origin}${pathOf(endpoint)}" \\`,
    `  -H "${headerPrefix}admin-secret: $ADMIN_SECRET"`,
  ].join('\n');
}
