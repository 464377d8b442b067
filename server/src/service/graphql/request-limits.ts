/** The operations that a caller may send, and their sizes. */

import type { ApiLimitName } from '@joinery/metadata/api/limited-operations';
import { ADMIN_ROLE, type RoleName } from '@joinery/metadata/names';
import type { ApiLimits } from '@joinery/metadata/schema/api-limits';
import { LRUCache } from 'lru-cache';
import { type ErrorCode, ServiceError } from '../../base/errors.ts';
import { type Observe, silent } from '../../base/telemetry/observe.ts';
import type { Model } from '../../model/model.ts';
import { type InputLimits, tooMany } from '../../plan/document/input-limits.ts';
import { canonicalText } from '../../plan/document/stored.ts';
import type { PreparedOperation } from '../../plan/operation.ts';
import { operationCost } from '../../plan/operation-cost.ts';
import { createRecentOperations, type RecentOperation, type RecentOperations } from './recent-operations.ts';

/** Limits for all callers; the metadata may set lower ones for a role. */
export interface RequestLimitSettings {
  readonly depth: number;
  readonly nodes: number;
  /** Fields at the root of one operation. */
  readonly roots: number;
  /** Operations in one HTTP request. */
  readonly batch: number;
  /** Characters in the text of one document. */
  readonly documentCharacters: number;
  readonly inputs: InputLimits;
  /** Rows in one list of a response; undefined for no limit. */
  readonly rows?: number | undefined;
  /** Whether callers that are not admin may send only operations of the allow list. */
  readonly allowList: boolean;
  /** Whether the limits of the metadata reject operations, the default. False: they are reported alone; limits of rows apply. */
  readonly enforcesRoles?: boolean;
}

export interface RequestLimits {
  /** Whether the limits of the metadata reject operations. */
  readonly enforcesRoles: boolean;
  readonly recent: RecentOperations;
  /** Limits of the input values of one operation. */
  readonly inputs: InputLimits;
  /** Throws for a document whose text is too long to be parsed. */
  checkText(query: string): void;
  /** Throws for an operation that is too large, or that the role may not send. */
  checkOperation(prepared: PreparedOperation, query: string, role: RoleName, model: Model): void;
  /** Throws for a batch of too many operations. */
  checkBatch(size: number, role: RoleName, model: Model): void;
  /** Reports an operation that took longer than the time limit of the role. */
  checkDuration(prepared: PreparedOperation, durationMs: number, role: RoleName, model: Model): void;
  /** Counts an operation beyond the rate limit of the role. Returns whether it is rejected. */
  checkRate(role: RoleName, most: number): boolean;
  /** Returns the most rows of a list in a response to the role; undefined for no limit. */
  maxRows(role: RoleName, model: Model): number | undefined;
}

/** Fields of introspection in one operation: several times as many as clients and tools request. */
const MAX_INTROSPECTION_FIELDS = 600;
/** Limits and roles whose last warning is known. */
const MAX_WARNINGS = 1_000;

/** Minutes are those of the clock of the system. */
const MINUTE_MS = 60_000;

export function createRequestLimits(settings: RequestLimitSettings, observe: Observe = silent): RequestLimits {
  const { enforcesRoles = true } = settings;
  const recent = createRecentOperations();
  /** The minute of the last warning of each limit and role. */
  const warned = new LRUCache<string, number>({ max: MAX_WARNINGS });

  function reportExcess(limit: ApiLimitName, role: RoleName, most: number, value: number, operation?: RecentOperation) {
    const [key, minute] = [JSON.stringify([limit, role]), Math.floor(Date.now() / MINUTE_MS)];
    const repeated = warned.get(key) === minute;
    warned.set(key, minute);
    const { name, hash } = operation ?? {};
    observe({ kind: 'limit-exceeded', limit, role, most, value, name, hash, repeated });
  }

  /** Returns the limit that rejects; without enforcement that of the settings, and reports a value above that of the role. */
  function mostOf(limit: SizeLimit, value: number, role: RoleName, model: Model, operation?: RecentOperation): number {
    const general = { depth_limit: settings.depth, node_limit: settings.nodes, batch_limit: settings.batch }[limit];
    const most = least(general, limitsOf(role, model)?.[limit], role);
    if (enforcesRoles) return most;
    if (value > most && value <= general) reportExcess(limit, role, most, value, operation);
    return general;
  }

  return {
    enforcesRoles,
    recent,
    inputs: settings.inputs,
    checkText: (query) => {
      const most = settings.documentCharacters;
      if (query.length > most) throw tooMany(`the document has more than ${most} characters`, '$.query');
    },
    checkOperation: (prepared, query, role, model) => {
      const size = operationCost(prepared);
      const operation =
        role === ADMIN_ROLE ? undefined : recent.count(prepared, { role, name: prepared.name, query, cost: size });
      const most = (limit: SizeLimit, value: number) => mostOf(limit, value, role, model, operation);
      checkSize(size.depth, most('depth_limit', size.depth), 'depth-limit-exceeded', 'levels deep');
      checkSize(size.nodes, most('node_limit', size.nodes), 'node-limit-exceeded', 'fields large');
      checkSize(size.roots, settings.roots, 'node-limit-exceeded', 'fields wide at its root');
      checkSize(size.introspected, MAX_INTROSPECTION_FIELDS, 'node-limit-exceeded', 'fields of introspection large');
      if (role === ADMIN_ROLE) return;
      if (size.introspected > 0 && model.unreadable.has(role)) {
        const message = `the role "${role}" may not read the schema; an admin can permit it`;
        throw new ServiceError('validation-failed', message, { path: '$.query' });
      }
      if (settings.allowList && !isAllowed(query, role, model)) {
        throw new ServiceError('validation-failed', 'the query is not in any of the allow lists', { path: '$.query' });
      }
    },
    checkBatch: (size, role, model) => {
      if (role !== ADMIN_ROLE) recent.addBatch(role, size);
      const most = mostOf('batch_limit', size, role, model);
      if (size <= most) return;
      throw new ServiceError(
        'batch-limit-exceeded',
        `the request holds ${size} operations, and ${most} are allowed; send fewer at once`,
      );
    },
    checkDuration: (prepared, durationMs, role, model) => {
      if (role === ADMIN_ROLE) return;
      const operation = recent.addDuration(prepared, durationMs);
      const seconds = least(Number.POSITIVE_INFINITY, model.limits?.time_limit, role);
      if (!enforcesRoles && durationMs > seconds * 1000)
        reportExcess('time_limit', role, seconds, durationMs / 1000, operation);
    },
    checkRate: (role, most) => {
      recent.addOverRate(role);
      if (!enforcesRoles) reportExcess('rate_limit', role, most, most + 1);
      return enforcesRoles;
    },
    maxRows: (role, model) => {
      const most = least(settings.rows ?? Number.POSITIVE_INFINITY, limitsOf(role, model)?.row_limit, role);
      return Number.isFinite(most) ? most : undefined;
    },
  };
}

/** No limit of the metadata applies to admins. */
function limitsOf(role: RoleName, { limits }: Model): ApiLimits | undefined {
  return role === ADMIN_ROLE ? undefined : limits;
}

type Limit = ApiLimits['depth_limit'];

/** The limits of the metadata that also have a limit of the settings. */
type SizeLimit = 'depth_limit' | 'node_limit' | 'batch_limit';

function least(general: number, limit: Limit, role: RoleName): number {
  const ofRole = limit?.per_role?.[role] ?? limit?.global;
  return ofRole === undefined ? general : Math.min(general, ofRole);
}

function checkSize(size: number, most: number, code: ErrorCode, unit: string): void {
  if (size <= most) return;
  throw new ServiceError(code, `the operation is ${size} ${unit}, and ${most} are allowed; request less at once`, {
    path: '$.query',
  });
}

/** The canonical texts of the allow lists, built once for each model. */
const allowedTexts = new WeakMap<Model, Map<RoleName, ReadonlySet<string>>>();

function isAllowed(query: string, role: RoleName, model: Model): boolean {
  const cached = allowedTexts.get(model) ?? new Map<RoleName, ReadonlySet<string>>();
  allowedTexts.set(model, cached);
  const { allRoles, byRole } = model.stored.allowed;
  const allowed = cached.get(role) ?? new Set([...allRoles, ...(byRole.get(role) ?? [])].map(canonicalText));
  // Callers choose the names of unknown roles, so that their lists are not cached.
  if (model.roles.has(role)) cached.set(role, allowed);
  return allowed.has(canonicalText(query));
}
