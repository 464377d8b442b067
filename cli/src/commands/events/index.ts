/** `joinery events ...`: scheduled events of a running service. */
import { type Command, InvalidArgumentError } from 'commander';
import { outcome, outputOption } from '../../print.ts';
import { connectionOptions } from '../../project/flags.ts';
import type { FinalStatus, ManyFlags, ScheduleFlags, SearchFlags, TailFlags, TargetFlags } from './run.ts';
import { addTriggerCommands } from './triggers/index.ts';

const load = () => import('./run.ts');

export function addEventsCommands(program: Command): void {
  const events = program
    .command('events')
    .description(
      'scheduled events, and the event triggers of tables: calls of webhooks, saved operations and functions',
    );
  filters(command(events, 'list', 'list events in order of time'))
    .option('--limit <n>', 'maximum number of events (default: 50)', count)
    .option('--after <cursor>', 'cursor of the next page')
    .addHelpText(
      'after',
      `
Examples
  joinery events list
  joinery events list --status error dead --from -1d
  joinery events list --payload '{"customer":7}' -o json
  joinery events list --cron --trigger nightly`,
    )
    .action((given: SearchFlags) => outcome('events list', async () => (await load()).listEvents(given), given));

  command(events, 'show [id]', 'show one event and its calls')
    .option('--key <key>', 'the key of the event')
    .addHelpText(
      'after',
      `
Examples
  joinery events show 3f0f5f5e-9a35-4a46-9d0e-1d3cfd1d2b77
  joinery events show --key renewal-7 -o json`,
    )
    .action((id: string | undefined, given: TargetFlags) =>
      outcome('events show', async () => (await load()).showEvent(id, given), given),
    );
  addSchedule(events);
  addMany(events);
  addTail(events);
  addTriggerCommands(events);
  events.addHelpText(
    'after',
    `
Examples
  joinery events schedule https://example.com/remind --in 2d --payload '{"customer":7}'
  joinery events list --status error
  joinery events tail`,
  );
}

function addSchedule(events: Command): void {
  command(events, 'schedule [webhook]', 'schedule a call of a webhook, a saved operation or a function')
    .option('--operation <name>', 'run this saved operation: COLLECTION.NAME')
    .option('--role <role>', 'the role that runs the operation')
    .option('--variables <json>', 'variables of the operation, as templates: JSON, @file, or -')
    .option('--session-variable <variable...>', 'NAME=VALUE of the session of the operation')
    .option('--function <name>', 'call this function: [SOURCE:]SCHEMA.NAME')
    .option('--arguments <json>', 'named arguments of the function, as templates: JSON, @file, or -')
    .option('--at <time>', 'an ISO 8601 timestamp')
    .option('--in <span>', 'delay from now: 90s, 15m, 1h30m, 2d (default: now)')
    .option('--timezone <name>', 'time zone of an --at without an offset, such as Europe/Berlin')
    .option('--payload <json>', 'JSON, @file, or - for standard input')
    .option('--header <header...>', '"Name: value", or "Name: $VARIABLE" of the service')
    .option('--comment <text>', 'shown in lists')
    .option('--key <key>', 'unique key; scheduling again under it returns the existing event')
    .option('--ordering-key <key>', 'deliver events with the same ordering key one after the other')
    .option('--retries <n>', 'calls beyond the first (default: 0)', count)
    .option('--retry-interval <seconds>', 'seconds between calls (default: 10)', count)
    .option('--timeout <seconds>', 'seconds per call (default: 60)', count)
    .option('--tolerance <seconds>', 'maximum delay before the event is dead (default: 21600)', count)
    .addHelpText(
      'after',
      `
Examples
  joinery events schedule https://example.com/remind --in 2d --payload '{"customer":7}'
  joinery events schedule '{{NOTIFY_URL}}/remind' --at 2027-09-01T08:00 --timezone Europe/Berlin --key renewal-7
  joinery events schedule https://example.com/hook --payload @body.json --header 'X-Key: $NOTIFY_KEY' --retries 3
  joinery events schedule --operation shop.cancel_order --role clerk --variables '{"id":7}' --in 1h
  joinery events schedule --function default:public.close_month --arguments '{"month":"{{$body.payload.month}}"}' \\
    --payload '{"month":"2027-08-01"}' --at 2027-09-01T00:00:00Z`,
    )
    .action((webhook: string | undefined, given: ScheduleFlags) =>
      outcome('events schedule', async () => (await load()).scheduleEvent(webhook, given), given),
    );
}

function addMany(events: Command): void {
  many(command(events, 'cancel [id]', 'cancel pending events'))
    .addHelpText(
      'after',
      `
Examples
  joinery events cancel --key renewal-7
  joinery events cancel --payload '{"customer":7}'
  joinery events cancel --all`,
    )
    .action((id: string | undefined, given: ManyFlags) =>
      outcome('events cancel', async () => (await load()).cancelEvents(id, given), given),
    );
  many(command(events, 'redeliver [id]', 'deliver processed events again, now'))
    .addHelpText(
      'after',
      `
Examples
  joinery events redeliver 3f0f5f5e-9a35-4a46-9d0e-1d3cfd1d2b77
  joinery events redeliver --status error dead --destination https://api.example.com --from -1d`,
    )
    .action((id: string | undefined, given: ManyFlags<FinalStatus>) =>
      outcome('events redeliver', async () => (await load()).redeliverEvents(id, given), given),
    );
}

function addTail(events: Command): void {
  command(events, 'tail', 'follow deliveries as they happen')
    .option('--event <id>', 'only deliveries of this event')
    .addHelpText(
      'after',
      `
Examples
  joinery events tail
  joinery events tail -o json | jq .status    one JSON object a line`,
    )
    .action((given: TailFlags) => outcome('events tail', async () => (await load()).tailEvents(given), given));
}

function command(events: Command, name: string, description: string): Command {
  return outputOption(connectionOptions(events.command(name).description(description)));
}

function many(added: Command): Command {
  return filters(added)
    .option('--key <key>', 'the event with this key')
    .option('--all', 'all events, without a filter')
    .option('--limit <n>', 'maximum number of events', count);
}

function filters(added: Command): Command {
  return added
    .option('--cron', 'events of cron triggers instead of one-off events')
    .option('--trigger <name>', 'events of this cron trigger')
    .option('--status <status...>', 'scheduled, locked, delivered, error, dead, cancelled')
    .option('--from <time>', 'scheduled at or after: a timestamp, or -2h from now')
    .option('--until <time>', 'scheduled before')
    .option('--destination <origin>', 'scheme, host and port as written in the webhook')
    .option('--comment <text>', 'substring of the comment')
    .option('--payload <json>', 'JSON that the payload contains');
}

function count(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('must be a whole number.');
  return Number(text);
}
