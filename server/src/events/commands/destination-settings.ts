/** The commands for the settings of destinations. Triggers notify the nodes of changes. */
import type {
  EventDestinationName,
  EventDestinations,
  SetEventDestination,
} from '@joinery/metadata/api/event-destinations';
import type { Success } from '@joinery/metadata/api/success';
import type { Query } from '../../postgres/client/statement-run.ts';

const iso = (column: string): string => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const listText = `select destination, concurrency, rate_per_second, paused, ${iso('circuit_opened_at')},
    ${iso('probe_at')}, probes, circuit_reason
  from joinery.event_destinations order by destination`;

/**
 * Returns `{ destinations }`, those with settings or an open circuit. Each is `{ destination, concurrency,
 * rate_per_second, paused, circuit }`; the circuit is `{ state: "closed" }` or `{ state: "open", opened_at, probe_at,
 * failed_probes, reason }`.
 */
export async function getEventDestinations(query: Query): Promise<EventDestinations> {
  const { rows } = await query({ text: listText, values: [] });
  return {
    destinations: rows.map(([destination, concurrency, rate, paused, openedAt, probeAt, probes, reason]) => ({
      destination: destination ?? '',
      concurrency: numberOf(concurrency),
      rate_per_second: numberOf(rate),
      paused: paused === 't',
      circuit:
        typeof openedAt === 'string'
          ? {
              state: 'open',
              opened_at: openedAt,
              probe_at: probeAt ?? '',
              failed_probes: Number(probes),
              reason: reason ?? '',
            }
          : { state: 'closed' },
    })),
  };
}

function numberOf(text: string | null | undefined): number | null {
  return text === null || text === undefined ? null : Number(text);
}

/** Omitted settings keep their values. */
const setText = `insert into joinery.event_destinations as d (destination, concurrency, rate_per_second, paused)
  values ($1, $2::integer, $4::float8, coalesce($6::boolean, false))
  on conflict (destination) do update set
    concurrency = case when $3::boolean then excluded.concurrency else d.concurrency end,
    rate_per_second = case when $5::boolean then excluded.rate_per_second else d.rate_per_second end,
    paused = coalesce($6::boolean, d.paused)`;

/** Deletes a row that has only default settings. */
const deleteDefaultsText = `delete from joinery.event_destinations where destination = $1
  and concurrency is null and rate_per_second is null and not paused and circuit_opened_at is null`;

/** Pauses a destination until it is resumed; running calls end. Returns `{ message: "success" }`. */
export async function pauseEventDestination(query: Query, { destination }: EventDestinationName): Promise<Success> {
  return setEventDestination(query, { destination, paused: true });
}

/** Returns `{ message: "success" }`, also if the destination was not paused. */
export async function resumeEventDestination(query: Query, { destination }: EventDestinationName): Promise<Success> {
  return setEventDestination(query, { destination, paused: false });
}

/** Returns `{ message: "success" }`. */
export async function setEventDestination(query: Query, change: SetEventDestination): Promise<Success> {
  const { destination, concurrency, rate_per_second, paused } = change;
  const values = [
    destination,
    concurrency ?? null,
    concurrency !== undefined,
    rate_per_second ?? null,
    rate_per_second !== undefined,
    paused ?? null,
  ];
  await query({ text: setText, values });
  await query({ text: deleteDefaultsText, values: [destination] });
  return { message: 'success' };
}
