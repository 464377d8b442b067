/** Which commands the audit log contains, and how it contains their arguments. */
import { isJsonObject } from '../../base/json-value.ts';

/** Commands that read, by their names without `pg_`. */
const reads =
  /^(?:pg_)?(?:get_|export_|introspect_|test_|suggest_|list_|preview_|dump_|select$|count$|concurrent_bulk$)/;

/** Whether the command may change something. */
export function isAudited(type: string, args: unknown): boolean {
  if (Array.isArray(args)) {
    return args.some((element: unknown) => isJsonObject(element) && isAudited(String(element.type), element.args));
  }
  const given = isJsonObject(args) ? args : {};
  if (/(?:^|_)run_sql$/.test(type)) return given.read_only !== true;
  if (type === 'replace_metadata') return given.dry_run !== true;
  return !reads.test(type);
}

/** Characters of the arguments that are stored. */
const LONGEST_ARGUMENTS = 8_000;

/** Members whose text is a secret. The names of environment variables that contain one are none. */
const secretMember = /secret|passw|token|credential|private|authorization|api_?key|access_?key|signing_?key/i;

/** Text of SQL that sets a password. */
const sqlPassword = /\b(password\s+)(?:'(?:[^']|'')*'|e'(?:[^'\\]|\\.|'')*')/gi;

/** Returns the arguments as JSON without secrets; `redacted` masks the known secrets of the service. */
export function describeArguments(args: unknown, redacted: (text: string) => string): string {
  const text = redacted(JSON.stringify(args ?? {}, masked) ?? '');
  return text.length <= LONGEST_ARGUMENTS ? text : `${text.slice(0, LONGEST_ARGUMENTS)}…`;
}

function masked(name: string, value: unknown): unknown {
  if (typeof value === 'string') {
    if (secretMember.test(name)) return '***';
    return name === 'sql' ? value.replaceAll(sqlPassword, "$1'***'") : value;
  }
  // A header: its value is a secret where its name is one.
  if (isJsonObject(value) && typeof value.name === 'string' && 'value' in value && secretMember.test(value.name)) {
    return { ...value, value: '***' };
  }
  return value;
}
