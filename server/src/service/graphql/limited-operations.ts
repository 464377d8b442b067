/** The stored and recent operations that the API limits of the metadata reject. */
import type { ApiLimitName, ExceededLimit, LimitedOperation } from '@joinery/metadata/api/limited-operations';
import type { Metadata } from '@joinery/metadata/metadata';
import { ADMIN_ROLE, type RoleName } from '@joinery/metadata/names';
import type { ApiLimits } from '@joinery/metadata/schema/api-limits';
import { ServiceError } from '../../base/errors.ts';
import { jsonPath } from '../../base/json-value.ts';
import type { Steps } from '../../base/steps.ts';
import type { Model } from '../../model/model.ts';
import { type PreparedOperation, prepare } from '../../plan/operation.ts';
import { operationCost } from '../../plan/operation-cost.ts';
import { roleSchema } from '../../schema/role-schema.ts';
import type { RecentOperations } from './recent-operations.ts';

/** Operations that a message names. */
const NAMED = 3;

/** An operation of one role with the value that a limit restricts. */
interface Candidate extends Omit<LimitedOperation, 'roles' | 'value'> {
  readonly limit: ApiLimitName;
  readonly role: RoleName;
  readonly value: number;
  /** Equal for the same operation of several roles. */
  readonly key: string;
}

/** What the limits are compared with. */
export interface LimitedSources {
  readonly model: Model;
  readonly metadata: Metadata;
  readonly recent: RecentOperations;
  readonly enforced: boolean;
}

/**
 * Returns each limit of a role that rejects operations. Stored operations count for the roles whose schema they fit, by depth
 * and fields. Recent operations also count by duration, and roles by their largest batch and busiest minute.
 */
export function* exceededLimits(sources: LimitedSources): Steps<readonly ExceededLimit[]> {
  const { model, enforced } = sources;
  const { limits } = model;
  if (limits === undefined) return [];
  const found = new Map<string, Found>();
  for (const candidate of [...(yield* storedCandidates(sources, limits)), ...recentCandidates(sources, limits)]) {
    yield;
    const limit = limitOf(limits, candidate.limit, candidate.role);
    if (limit === undefined || candidate.value <= limit.most) continue;
    const group = found.get(limit.path) ?? { ...limit, limit: candidate.limit, operations: new Map() };
    found.set(limit.path, group);
    const { role, value, limit: _limit, key, ...operation } = candidate;
    const before = group.operations.get(key);
    group.operations.set(key, {
      ...operation,
      roles: [...(before?.roles ?? []), role],
      value: Math.max(value, before?.value ?? 0),
      ...(operation.count !== undefined && { count: operation.count + (before?.count ?? 0) }),
    });
  }
  return [...found.values()].map(({ limit, most, path, operations: all }) => {
    const operations = [...all.values()].sort((one, other) => other.value - one.value);
    return { limit, most, path, message: describe(limit, most, operations, enforced), operations };
  });
}

interface Found {
  readonly limit: ApiLimitName;
  readonly most: number;
  readonly path: string;
  readonly operations: Map<string, LimitedOperation>;
}

/** Returns the limit of the role and its path. */
function limitOf(limits: ApiLimits, name: ApiLimitName, role: RoleName) {
  const limit = limits[name];
  if (limit === undefined) return undefined;
  const own = limit.per_role?.[role];
  const value = own ?? limit.global;
  const most = typeof value === 'number' ? value : value.max_reqs_per_min;
  return { most, path: jsonPath(['api_limits', name, ...(own === undefined ? ['global'] : ['per_role', role])]) };
}

/** The schema of a role is created only if one of its limits is below the cost of an operation. */
function* storedCandidates({ model, metadata }: LimitedSources, limits: ApiLimits): Steps<readonly Candidate[]> {
  const candidates: Candidate[] = [];
  if (limits.depth_limit === undefined && limits.node_limit === undefined) return candidates;
  for (const { name: collection, definition } of metadata.query_collections ?? []) {
    for (const { name, query } of definition.queries) {
      const endpoints = (metadata.rest_endpoints ?? [])
        .filter(({ definition: { query: used } }) => used.collection_name === collection && used.query_name === name)
        .map((endpoint) => endpoint.name);
      const operation = {
        kind: 'stored' as const,
        name,
        collection,
        ...(endpoints.length > 0 && { endpoints }),
        key: JSON.stringify([collection, name]),
      };
      const prepared = preparedFor(model, ADMIN_ROLE, query);
      if (prepared === undefined) continue;
      const { depth, nodes } = operationCost(prepared);
      for (const role of model.roles) {
        yield;
        const isOver = (limit: ApiLimitName, value: number) =>
          value > (limitOf(limits, limit, role)?.most ?? Number.POSITIVE_INFINITY);
        if (!isOver('depth_limit', depth) && !isOver('node_limit', nodes)) continue;
        if (preparedFor(model, role, query) === undefined) continue;
        candidates.push({ ...operation, role, limit: 'depth_limit', value: depth });
        candidates.push({ ...operation, role, limit: 'node_limit', value: nodes });
      }
    }
  }
  return candidates;
}

/** Returns undefined for an operation that does not fit the schema of the role. */
function preparedFor(model: Model, role: RoleName, query: string): PreparedOperation | undefined {
  try {
    return prepare(roleSchema(model, role), query, undefined);
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}

function recentCandidates({ recent }: LimitedSources, limits: ApiLimits): readonly Candidate[] {
  const operations = recent.operations().flatMap((one): readonly Candidate[] => {
    const { role, name = null, hash, count } = one;
    const operation = { kind: 'recent' as const, role, name, hash, count, key: JSON.stringify([hash, name]) };
    return [
      { ...operation, limit: 'depth_limit', value: one.depth },
      { ...operation, limit: 'node_limit', value: one.nodes },
      { ...operation, limit: 'time_limit', value: one.longestMs / 1000 },
    ];
  });
  const roles = recent.roles().flatMap(({ role, largestBatch, busiestMinute, overRate }): readonly Candidate[] => {
    const requests = { kind: 'recent' as const, role, name: null, key: role };
    const rate = limits.rate_limit?.per_role?.[role] ?? limits.rate_limit?.global;
    // Callers of the role may have shared the busiest minute, so that only counts of the limiter are certain.
    const isShared = rate?.unique_params === undefined || rate.unique_params === null;
    const over = overRate > 0 ? (rate?.max_reqs_per_min ?? 0) + 1 : 0;
    const value = isShared ? Math.max(busiestMinute, over) : over;
    return [
      { ...requests, limit: 'batch_limit', value: largestBatch },
      { ...requests, limit: 'rate_limit', value },
    ];
  });
  return [...operations, ...roles];
}

const units: Readonly<Record<ApiLimitName, string>> = {
  depth_limit: 'levels',
  node_limit: 'fields',
  time_limit: 'seconds',
  rate_limit: 'operations in one minute',
  batch_limit: 'operations in one request',
};

function describe(
  limit: ApiLimitName,
  most: number,
  operations: readonly LimitedOperation[],
  enforced: boolean,
): string {
  const named = operations.slice(0, NAMED).map((one) => describeOperation(one, units[limit]));
  const more = operations.length > NAMED ? `; and ${operations.length - NAMED} more` : '';
  const verb = enforced ? 'rejects' : 'would reject';
  return `${limit} ${most} ${verb} ${named.join('; ')}${more}`;
}

function describeOperation({ kind, name, roles, value, collection, endpoints, hash }: LimitedOperation, unit: string) {
  const size = `${Math.round(value * 100) / 100} ${unit}, role${roles.length === 1 ? '' : 's'} ${roles.join(', ')}`;
  if (kind === 'stored') {
    const rest = endpoints === undefined ? '' : ` (REST endpoint ${endpoints.map((one) => `"${one}"`).join(', ')})`;
    return `query "${name}" of collection "${collection}"${rest} with ${size}`;
  }
  if (hash === undefined) return `requests with up to ${size}`;
  return `the recent operation ${name === null ? `with the hash ${hash}` : `"${name}" (hash ${hash})`} with ${size}`;
}
