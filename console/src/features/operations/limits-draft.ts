/** Draft of API limits: a limit for every role, and others for single roles. Pure. */
import { ApiLimits } from '@joinery/metadata/schema/api-limits';
import { isJsonObject, type JsonObject } from '../../api/json.ts';
import { type JsonFormat, Unreadable } from '../../ui/form/beside-text/json-format.ts';
import { numberIn, schemaErrors } from '../../ui/form/beside-text/schema-errors.ts';

export const limitKeys = ['depth_limit', 'node_limit', 'batch_limit', 'row_limit', 'time_limit', 'rate_limit'] as const;
export type LimitKey = (typeof limitKeys)[number];

/** Callers that share a rate: all of a role, those of an address, or those with equal session variables. */
export type RateBy = 'role' | 'address' | 'variables';

export interface LimitValue {
  /** The text of the input. Empty for none. */
  readonly count: string;
  readonly by: RateBy;
  /** Names of session variables, separated by commas. */
  readonly variables: string;
}

export interface RoleLimit extends LimitValue {
  /** Identifies the row while rows are added and removed. */
  readonly key: number;
  readonly role: string;
}

export interface LimitDraft {
  readonly global: LimitValue;
  readonly roles: readonly RoleLimit[];
}

export interface LimitsDraft {
  readonly isDisabled: boolean;
  readonly limits: Readonly<Record<LimitKey, LimitDraft>>;
}

export const noValue: LimitValue = { count: '', by: 'role', variables: '' };
const noLimit: LimitDraft = { global: noValue, roles: [] };

export const emptyLimits: LimitsDraft = {
  isDisabled: false,
  limits: {
    depth_limit: noLimit,
    node_limit: noLimit,
    batch_limit: noLimit,
    row_limit: noLimit,
    time_limit: noLimit,
    rate_limit: noLimit,
  },
};

export const limitsFormat: JsonFormat<LimitsDraft> = { write: writeLimits, read: readLimits };

function writeLimits({ isDisabled, limits }: LimitsDraft): JsonObject {
  const written = limitKeys.flatMap((key): [string, unknown][] => {
    const { global, roles } = limits[key];
    if (global.count.trim() === '' && roles.length === 0) return [];
    const per_role = Object.fromEntries(roles.map((one) => [one.role.trim(), writeValue(key, one)]));
    return [[key, { global: writeValue(key, global), ...(roles.length > 0 && { per_role }) }]];
  });
  return { ...(isDisabled && { disabled: true }), ...Object.fromEntries(written) };
}

function writeValue(key: LimitKey, { count, by, variables }: LimitValue): unknown {
  const number = numberIn(count);
  if (key !== 'rate_limit') return number;
  const names = variables
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const unique_params = by === 'address' ? 'IP' : names;
  return { max_reqs_per_min: number, ...(by !== 'role' && { unique_params }) };
}

function readLimits(json: unknown): LimitsDraft | Unreadable {
  if (!isJsonObject(json)) return new Unreadable('It must be an object.');
  const { disabled, ...limits } = json;
  let draft: LimitsDraft = { ...emptyLimits, isDisabled: disabled === true };
  for (const [name, written] of Object.entries(limits)) {
    const key = limitKeys.find((one) => one === name);
    if (key === undefined) return new Unreadable(`There is no limit "${name}".`);
    const read = readLimit(written);
    if (read === undefined) return new Unreadable(`"${name}" must have "global", and "per_role" for single roles.`);
    draft = { ...draft, limits: { ...draft.limits, [key]: read } };
  }
  return draft;
}

function readLimit(written: unknown): LimitDraft | undefined {
  if (!isJsonObject(written)) return undefined;
  const { global, per_role: roles = {}, ...others } = written;
  if (!isJsonObject(roles) || Object.keys(others).length > 0) return undefined;
  return {
    global: readValue(global),
    roles: Object.entries(roles).map(([role, value], key) => ({ key, role, ...readValue(value) })),
  };
}

function readValue(written: unknown): LimitValue {
  if (!isJsonObject(written)) return { ...noValue, count: textOf(written) };
  const { max_reqs_per_min: count, unique_params: by } = written;
  if (by === 'IP') return { count: textOf(count), by: 'address', variables: '' };
  if (Array.isArray(by)) return { count: textOf(count), by: 'variables', variables: by.join(', ') };
  return { ...noValue, count: textOf(count) };
}

function textOf(value: unknown): string {
  return value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);
}

/** Returns the messages by path, such as `depth_limit.global` and `rate_limit.per_role.user.max_reqs_per_min`. */
export function limitErrors(draft: LimitsDraft): Readonly<Record<string, string>> {
  const errors = schemaErrors(ApiLimits, writeLimits(draft), { fieldOf: (member) => member });
  for (const key of limitKeys) {
    const { global, roles } = draft.limits[key];
    if (global.count.trim() === '' && roles.length > 0) {
      errors[key === 'rate_limit' ? 'rate_limit.global.max_reqs_per_min' : `${key}.global`] =
        'Required where single roles have a limit.';
    }
    for (const [index, { role }] of roles.entries()) {
      if (role.trim() === '') errors[`${key}.roles.${index}`] = 'Choose a role.';
      if (roles.slice(0, index).some((one) => one.role.trim() === role.trim())) {
        errors[`${key}.roles.${index}`] = 'The role has a limit already.';
      }
    }
  }
  return errors;
}
