/** The audit log. All functions throw Failure. */
import type { AuditEntry, AuditLog } from '@joinery/metadata/api/audit';
import type { Client } from '../../api/client.ts';

/** The filters of the address bar; undefined for all entries. */
export interface AuditFilter {
  readonly search?: string | undefined;
  readonly outcome?: 'success' | 'error' | undefined;
  readonly author?: string | undefined;
  readonly command?: string | undefined;
  /** ISO 8601. */
  readonly from?: string | undefined;
}

/** `before`: the `next` of the previous page. */
export function readAuditLog(
  client: Client,
  filter: AuditFilter,
  {
    before,
    limit,
    signal,
  }: { readonly before?: string | undefined; readonly limit: number; readonly signal?: AbortSignal },
): Promise<AuditLog> {
  return client.command('get_audit_log', { ...filter, before, limit }, { signal });
}

const PAGE = 1_000;
/** Entries of one export. */
export const MAX_EXPORTED = 50_000;

/** Returns all entries of the filter, up to `MAX_EXPORTED`. */
export async function readAllEntries(client: Client, filter: AuditFilter): Promise<readonly AuditEntry[]> {
  const all: AuditEntry[] = [];
  let before: string | undefined;
  do {
    const { entries, next } = await readAuditLog(client, filter, { before, limit: PAGE });
    all.push(...entries);
    before = next;
  } while (before !== undefined && all.length < MAX_EXPORTED);
  return all;
}

const columns = [
  ...(['id', 'at', 'author', 'address', 'request_id', 'command'] as const),
  ...(['arguments', 'outcome', 'code', 'error', 'duration_ms'] as const),
];

/** Returns the entries as CSV by RFC 4180, with a header. */
export function toCsv(entries: readonly AuditEntry[]): string {
  const rows = entries.map((entry) => columns.map((column) => cell(entry[column])).join(','));
  return `${[columns.join(','), ...rows].join('\r\n')}\r\n`;
}

function cell(value: string | number | null): string {
  const text = String(value ?? '');
  // Spreadsheets run a cell that begins with one of these as a formula.
  const safe = /^[=+@\t\r-]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
