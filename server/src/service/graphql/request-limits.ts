/** Which operations a caller may send, and how large they may be. */

import { ADMIN_ROLE, type RoleName } from '@joinery/metadata/names';
import type { ApiLimits } from '@joinery/metadata/schema/api-limits';
import { type ErrorCode, ServiceError } from '../../base/errors.ts';
import type { Model } from '../../model/model.ts';
import { type InputLimits, tooMany } from '../../plan/document/input-limits.ts';
import { canonicalText } from '../../plan/document/stored.ts';
import type { PreparedOperation } from '../../plan/operation.ts';
import { measure } from '../../plan/operation-cost.ts';

/** Walls for everybody; the metadata may draw them closer for a role. */
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
  /** In one list of an answer; undefined: any number. */
  readonly rows?: number | undefined;
  /** Are callers that are not admin held to the allow list? */
  readonly allowList: boolean;
}

export interface Guard {
  /** How much the input values of one operation may hold. */
  readonly inputs: InputLimits;
  /** Throws for a document whose text is too long to be parsed. */
  admitText(query: string): void;
  /** Throws for an operation that is too large, or that the role may not send. */
  admit(prepared: PreparedOperation, query: string, role: RoleName, model: Model): void;
  /** Throws when so many operations are too many for one request. */
  admitBatch(size: number, role: RoleName, model: Model): void;
  /** How many rows a list may hold that the role asks for; undefined: any number. */
  maxRows(role: RoleName, model: Model): number | undefined;
}

/** Fields of introspection in one operation: several times as many as clients and tools ask for. */
const MOST_INTROSPECTED = 600;

export function createRequestLimits(settings: RequestLimitSettings): Guard {
  return {
    inputs: settings.inputs,
    admitText: (query) => {
      const most = settings.documentCharacters;
      if (query.length > most) throw tooMany(`the document has more than ${most} characters`, '$.query');
    },
    admit: (prepared, query, role, model) => {
      const size = measure(prepared);
      const own = ownLimits(role, model);
      atMost(size.depth, least(settings.depth, own?.depth_limit, role), 'depth-limit-exceeded', 'levels deep');
      atMost(size.nodes, least(settings.nodes, own?.node_limit, role), 'node-limit-exceeded', 'fields large');
      atMost(size.roots, settings.roots, 'node-limit-exceeded', 'fields wide at its root');
      atMost(size.introspected, MOST_INTROSPECTED, 'node-limit-exceeded', 'fields of introspection large');
      if (role === ADMIN_ROLE) return;
      if (size.introspected > 0 && model.unreadable.has(role)) {
        const message = `the role "${role}" may not read the schema; ask an admin for it`;
        throw new ServiceError('validation-failed', message, { path: '$.query' });
      }
      if (settings.allowList && !isAllowed(query, role, model)) {
        throw new ServiceError('validation-failed', 'the query is not in any of the allow lists', { path: '$.query' });
      }
    },
    admitBatch: (size, role, model) => {
      const own = ownLimits(role, model);
      const most = least(settings.batch, own?.batch_limit, role);
      if (size <= most) return;
      throw new ServiceError(
        'batch-limit-exceeded',
        `the request holds ${size} operations, and ${most} are allowed; send fewer at once`,
      );
    },
    maxRows: (role, model) => {
      const most = least(settings.rows ?? Number.POSITIVE_INFINITY, ownLimits(role, model)?.row_limit, role);
      return Number.isFinite(most) ? most : undefined;
    },
  };
}

/** No limit of the metadata holds for admins. */
function ownLimits(role: RoleName, { limits }: Model): ApiLimits | undefined {
  return role === ADMIN_ROLE ? undefined : limits;
}

type Limit = ApiLimits['depth_limit'];

function least(wall: number, limit: Limit, role: RoleName): number {
  const own = limit?.per_role?.[role] ?? limit?.global;
  return own === undefined ? wall : Math.min(wall, own);
}

function atMost(size: number, most: number, code: ErrorCode, unit: string): void {
  if (size <= most) return;
  throw new ServiceError(code, `the operation is ${size} ${unit}, and ${most} are allowed; ask for less at once`, {
    path: '$.query',
  });
}

/** Made once for each model; texts are compared by what they ask for. */
const lists = new WeakMap<Model, Map<RoleName, ReadonlySet<string>>>();

function isAllowed(query: string, role: RoleName, model: Model): boolean {
  const byRole = lists.get(model) ?? new Map<RoleName, ReadonlySet<string>>();
  lists.set(model, byRole);
  const { everyone, byRole: own } = model.stored.allowed;
  const allowed = byRole.get(role) ?? new Set([...everyone, ...(own.get(role) ?? [])].map(canonicalText));
  // Roles that nobody knows share what everyone may send, so that made-up names do not pile up.
  if (model.roles.has(role)) byRole.set(role, allowed);
  return allowed.has(canonicalText(query));
}
