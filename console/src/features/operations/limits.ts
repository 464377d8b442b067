/** API limits as table lines, and URLs of REST endpoints. Pure. */
import type { Endpoint } from './operations-api.ts';

export interface LimitLine {
  readonly key: string;
  readonly label: string;
  readonly global: string;
  /** Roles with a limit and its value. */
  readonly roles: readonly (readonly [role: string, limit: string])[];
}

const labels: readonly (readonly [key: string, label: string, unit: string])[] = [
  ['depth_limit', 'Depth', 'levels of selections'],
  ['node_limit', 'Nodes', 'fields in an operation'],
  ['batch_limit', 'Batch', 'operations in a request'],
  ['row_limit', 'Rows', 'rows of one list'],
  ['time_limit', 'Time', 'seconds'],
  ['rate_limit', 'Rate', 'requests a minute'],
];

/** Returns the limits that are set. */
export function linesOf(limits: Readonly<Record<string, unknown>> | undefined): readonly LimitLine[] {
  return labels.flatMap(([key, label, unit]) => {
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
