/** Checks from this machine whether the hosts that the metadata calls can be reached. */
import { connect as connectSocket } from 'node:net';
import type { ExportedMetadata } from '@joinery/metadata/document/exported-metadata';
import { eventTriggersOf } from '../../project/event-triggers.ts';
import { type Finding, finding } from './finding.ts';

const timeoutMs = 3_000;

/** Opens one connection per host and port. Sends nothing. */
export async function checkHandlers(
  metadata: ExportedMetadata,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<readonly Finding[]> {
  const places = [
    ...(metadata.actions ?? []).map(({ name, definition }) => [`action "${name}"`, definition.handler] as const),
    ...(metadata.remote_schemas ?? []).map(
      ({ name, definition: { url, url_from_env } }) =>
        [`remote schema "${name}"`, url ?? `{{${url_from_env ?? ''}}}`] as const,
    ),
    ...eventTriggersOf(metadata).flatMap(({ trigger: { name, webhook, webhook_from_env: variable } }) => {
      const url = webhook ?? (variable && `{{${variable}}}`);
      return url ? [[`event trigger "${name}"`, url] as const] : [];
    }),
    ...(metadata.cron_triggers ?? []).flatMap(({ name, webhook }) =>
      webhook === undefined ? [] : [[`cron trigger "${name}"`, webhook] as const],
    ),
  ];
  const origins = new Map<string, string>();
  /** What uses each variable that is not set. */
  const users = new Map<string, string[]>();
  const findings: Finding[] = [];
  for (const [what, template] of places) {
    const missing = new Set<string>();
    const url = template.replaceAll(/\{\{\s*(\w+)\s*\}\}/g, (_all, name: string) => {
      const value = environment[name];
      if (value === undefined) missing.add(name);
      return value ?? '';
    });
    for (const name of missing) users.set(name, [...(users.get(name) ?? []), what]);
    if (missing.size > 0) continue;
    if (!URL.canParse(url)) findings.push(finding('handlers', 'problem', `${what} is at "${url}", which is no URL`));
    else if (!origins.has(new URL(url).origin)) origins.set(new URL(url).origin, what);
  }
  for (const [name, [first = '', ...others]] of users) {
    const more = others.length === 0 ? 'uses' : `and ${others.length} more use`;
    findings.push(
      finding(
        'handlers',
        'warning',
        `${first} ${more} ${name}, which is not set here`,
        `set it in .env to have this checked; the service needs it too`,
      ),
    );
  }
  const reached = await Promise.all([...origins].map(([origin, what]) => reach(origin, what)));
  return [...findings, ...reached];
}

function reach(origin: string, what: string): Promise<Finding> {
  const { hostname, port, protocol } = new URL(origin);
  return new Promise((resolve) => {
    const socket = connectSocket({
      host: hostname.replace(/^\[(.*)\]$/, '$1'),
      port: Number(port || (protocol === 'https:' ? 443 : 80)),
      timeout: timeoutMs,
    });
    const end = (found: Finding): void => {
      socket.destroy();
      resolve(found);
    };
    const advice = 'start it or fix the URL; this was checked from this machine, the service may reach it';
    socket.on('connect', () => end(finding('handlers', 'ok', `${origin} can be reached`)));
    socket.on('timeout', () =>
      end(finding('handlers', 'problem', `${origin} (${what}) does not respond within ${timeoutMs / 1000} s`, advice)),
    );
    socket.on('error', (error: NodeJS.ErrnoException) =>
      end(
        finding('handlers', 'problem', `${origin} (${what}) cannot be reached: ${error.code ?? error.message}`, advice),
      ),
    );
  });
}
