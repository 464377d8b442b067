/** The commands for the settings of destinations. Triggers notify the nodes of changes. */
import type {
  EventDestinationName,
  EventDestinations,
  SetEventDestination,
} from '@joinery/metadata/api/events/destinations';
import type { Success } from '@joinery/metadata/api/success';
import type { Query } from '../../postgres/client/statement-run.ts';
import { fixedStatement } from '../../postgres/sql/rows.ts';
import { type Sql, sql } from '../../postgres/sql/sql.ts';

const iso = (column: Sql): Sql => sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const settingColumns = ['destination', 'concurrency', 'rate_per_second', 'paused'] as const;
const circuitColumns = ['opened_at', 'probe_at', 'probes', 'circuit_reason'] as const;
const listDestinations = fixedStatement([], [...settingColumns, ...circuitColumns], () => {
  return sql`select destination, concurrency, rate_per_second, paused, ${iso(sql`circuit_opened_at`)} as opened_at,
      ${iso(sql`probe_at`)} as probe_at, probes, circuit_reason
    from joinery.event_destinations order by destination`;
});

/**
 * Returns `{ destinations }`, those with settings or an open circuit. Each is `{ destination, concurrency,
 * rate_per_second, paused, circuit }`; the circuit is `{ state: "closed" }` or `{ state: "open", opened_at, probe_at,
 * failed_probes, reason }`.
 */
export async function getEventDestinations(query: Query): Promise<EventDestinations> {
  const rows = await listDestinations.rows(query, {});
  return {
    destinations: rows.map((row) => ({
      destination: row.destination ?? '',
      concurrency: numberOf(row.concurrency),
      rate_per_second: numberOf(row.rate_per_second),
      paused: row.paused === 't',
      circuit:
        typeof row.opened_at === 'string'
          ? {
              state: 'open',
              opened_at: row.opened_at,
              probe_at: row.probe_at ?? '',
              failed_probes: Number(row.probes),
              reason: row.circuit_reason ?? '',
            }
          : { state: 'closed' },
    })),
  };
}

function numberOf(text: string | null): number | null {
  return text === null ? null : Number(text);
}

/** Omitted settings keep their values. */
const setInputs = ['destination', 'concurrency', 'sets_concurrency', 'rate', 'sets_rate', 'paused'] as const;
const setDestination = fixedStatement(setInputs, [], (given) => {
  return sql`insert into joinery.event_destinations as d (destination, concurrency, rate_per_second, paused)
    values (${given.destination}, ${given.concurrency}::integer, ${given.rate}::float8, coalesce(${given.paused}::boolean, false))
    on conflict (destination) do update set
      concurrency = case when ${given.sets_concurrency}::boolean then excluded.concurrency else d.concurrency end,
      rate_per_second = case when ${given.sets_rate}::boolean then excluded.rate_per_second else d.rate_per_second end,
      paused = coalesce(${given.paused}::boolean, d.paused)`;
});

/** Deletes a row that has only default settings. */
const deleteDefaults = fixedStatement(['destination'], [], ({ destination }) => {
  return sql`delete from joinery.event_destinations where destination = ${destination}
    and concurrency is null and rate_per_second is null and not paused and circuit_opened_at is null`;
});

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
  await setDestination.run(query, {
    destination,
    concurrency: concurrency ?? null,
    sets_concurrency: concurrency !== undefined,
    rate: rate_per_second ?? null,
    sets_rate: rate_per_second !== undefined,
    paused: paused ?? null,
  });
  await deleteDefaults.run(query, { destination });
  return { message: 'success' };
}
