/** Divides a service into processes, and its settings between them. */
import { ServiceError } from '../../base/errors.ts';
import type { Config } from '../../config/config.ts';
import { type Assignment, shareOf } from './messages.ts';

/** A pool with fewer connections leaves none for health checks beside requests. */
const LEAST_CONNECTIONS = 2;

type Divided = Pick<Config, 'processes' | 'components' | 'poolSize'>;

/**
 * Returns the processes, the one that delivers events first: it is separate, so that requests cannot delay its heartbeats.
 * Throws `invalid-configuration` where the service cannot be divided.
 */
export function assign(
  { processes, components, poolSize }: Divided,
  shared: Pick<Assignment, 'group' | 'embeddedUrl'>,
): readonly Assignment[] {
  const delivers = components.includes('events');
  if (!components.some((one) => one !== 'events')) {
    const message =
      'JOINERY_PROCESSES is more than 1, but JOINERY_COMPONENTS has only events, which one process delivers; add api or start more nodes';
    throw new ServiceError('invalid-configuration', message);
  }
  const shares = processes + (delivers ? 1 : 0);
  if (Math.floor(poolSize / shares) < LEAST_CONNECTIONS) {
    const message = `JOINERY_POOL_SIZE is ${poolSize}, which leaves fewer than ${LEAST_CONNECTIONS} connections to each of ${shares} processes; set it to at least ${shares * LEAST_CONNECTIONS}`;
    throw new ServiceError('invalid-configuration', message);
  }
  const requests = Array.from({ length: processes }, (_, position) => ({
    role: 'requests' as const,
    name: String(position + 1),
    position,
    appliesDirectory: position === 0 && !delivers,
  }));
  const delivery = { role: 'delivery' as const, name: 'delivery', position: processes, appliesDirectory: true };
  return [...(delivers ? [delivery] : []), ...requests].map((one) => ({ ...one, ...shared, shares }));
}

/** Returns the settings of one process. */
export function configOfProcess(config: Config, assignment: Assignment): Config {
  const delivers = assignment.role === 'delivery';
  return {
    ...config,
    components: delivers ? ['events'] : config.components.filter((one) => one !== 'events'),
    poolSize: shareOf(config.poolSize, assignment),
    metadataDir: assignment.appliesDirectory ? config.metadataDir : undefined,
  };
}
