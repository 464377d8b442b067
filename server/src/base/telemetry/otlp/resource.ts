/** What the exports of a process have in common. */
import { hostname } from 'node:os';
import type { Resource } from '@opentelemetry/resources';
import type { Environment } from '../../environment.ts';
import type { Observe } from '../observe.ts';
import type { ExportCounts } from './bounded-export.ts';

export interface ExportContext {
  readonly environment: Environment;
  readonly version: string;
  /** The port of the service, for the id of the instance. */
  readonly port: number;
  readonly observe: Observe;
  readonly counts: ExportCounts;
}

/** Returns the resource. Variables of the environment take precedence over `attributes`. */
export async function createResource(
  { version, port }: ExportContext,
  attributes: Readonly<Record<string, string>> = {},
): Promise<Resource> {
  const resources = await import('@opentelemetry/resources');
  const service = {
    'service.name': 'joinery',
    'service.version': version,
    // The same after a restart, so that the series of metrics continue.
    'service.instance.id': `${hostname()}:${port}`,
    'host.name': hostname(),
    'process.pid': process.pid,
    ...attributes,
  };
  return resources
    .defaultResource()
    .merge(resources.resourceFromAttributes(service))
    .merge(resources.detectResources({ detectors: [resources.envDetector] }));
}

/** Waits for an export to end, and no longer than until `deadline` of `performance.now()`. */
export async function endBy(deadline: number, ending: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, deadline - performance.now()));
  });
  await Promise.race([ending.catch(() => undefined), over]);
  clearTimeout(timer);
}
