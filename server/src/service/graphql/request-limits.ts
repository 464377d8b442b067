/** The operations that a caller may send, and their sizes. */

import { ADMIN_ROLE, type RoleName } from '@joinery/metadata/names';
import type { ApiLimits } from '@joinery/metadata/schema/api-limits';
import { type ErrorCode, ServiceError } from '../../base/errors.ts';
import type { Model } from '../../model/model.ts';
import { type InputLimits, tooMany } from '../../plan/document/input-limits.ts';
import { canonicalText } from '../../plan/document/stored.ts';
import type { PreparedOperation } from '../../plan/operation.ts';
import { operationCost } from '../../plan/operation-cost.ts';

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
}

export interface RequestLimits {
  /** Limits of the input values of one operation. */
  readonly inputs: InputLimits;
  /** Throws for a document whose text is too long to be parsed. */
  checkText(query: string): void;
  /** Throws for an operation that is too large, or that the role may not send. */
  checkOperation(prepared: PreparedOperation, query: string, role: RoleName, model: Model): void;
  /** Throws for a batch of too many operations. */
  checkBatch(size: number, role: RoleName, model: Model): void;
  /** Returns the most rows of a list in a response to the role; undefined for no limit. */
  maxRows(role: RoleName, model: Model): number | undefined;
}

/** Fields of introspection in one operation: several times as many as clients and tools request. */
const MAX_INTROSPECTION_FIELDS = 600;

export function createRequestLimits(settings: RequestLimitSettings): RequestLimits {
  return {
    inputs: settings.inputs,
    checkText: (query) => {
      const most = settings.documentCharacters;
      if (query.length > most) throw tooMany(`the document has more than ${most} characters`, '$.query');
    },
    checkOperation: (prepared, query, role, model) => {
      const size = operationCost(prepared);
      const limits = limitsOf(role, model);
      checkSize(size.depth, least(settings.depth, limits?.depth_limit, role), 'depth-limit-exceeded', 'levels deep');
      checkSize(size.nodes, least(settings.nodes, limits?.node_limit, role), 'node-limit-exceeded', 'fields large');
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
      const most = least(settings.batch, limitsOf(role, model)?.batch_limit, role);
      if (size <= most) return;
      throw new ServiceError(
        'batch-limit-exceeded',
        `the request holds ${size} operations, and ${most} are allowed; send fewer at once`,
      );
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
