/** `joinery events triggers ...`: event triggers of a running service and their events. */
import { type Command, InvalidArgumentError } from 'commander';
import { outcome, outputOption } from '../../../print.ts';
import { connectionOptions } from '../../../project/flags.ts';
import type { AdoptFlags } from './adopt.ts';
import type { InvokeFlags, LogsFlags, RedeliverFlags } from './events.ts';
import type { TailFlags } from './tail.ts';
import type { TriggerFlags } from './triggers.ts';

/** Adds `joinery events triggers` with its commands. */
export function addTriggerCommands(events: Command): void {
  const triggers = events
    .command('triggers')
    .description('event triggers: webhooks that are called for changes of tables');
  addTriggers(triggers);
  addEvents(triggers);
  addTail(triggers);
  addAdopt(triggers);
  triggers.addHelpText(
    'after',
    `
Examples
  joinery events triggers list
  joinery events triggers tail order_paid
  joinery events triggers redeliver --trigger order_paid --dry-run`,
  );
}

function addTriggers(triggers: Command): void {
  const load = () => import('./triggers.ts');
  command(triggers, 'list', 'list event triggers with their state and pending events')
    .addHelpText(
      'after',
      `
Examples
  joinery events triggers list
  joinery events triggers list --database-name default -o json | jq '.triggers[] | select(.pending > 0)'`,
    )
    .action((given: TriggerFlags) =>
      outcome('events triggers list', async () => (await load()).listTriggers(given), given),
    );
  command(triggers, 'show <name>', 'show one event trigger: its definition, state and statistics')
    .addHelpText(
      'after',
      `
Examples
  joinery events triggers show order_paid
  joinery events triggers show order_paid -o json`,
    )
    .action((name: string, given: TriggerFlags) =>
      outcome('events triggers show', async () => (await load()).showTrigger(name, given), given),
    );
  command(triggers, 'pause <name...>', 'store the events of triggers without delivering them')
    .addHelpText('after', '\nExamples\n  joinery events triggers pause order_paid')
    .action((names: readonly string[], given: TriggerFlags) =>
      outcome('events triggers pause', async () => (await load()).pauseTriggers(names, given), given),
    );
  command(triggers, 'resume <name...>', 'deliver the events of paused triggers, including those of the pause')
    .addHelpText('after', '\nExamples\n  joinery events triggers resume order_paid order_placed')
    .action((names: readonly string[], given: TriggerFlags) =>
      outcome('events triggers resume', async () => (await load()).resumeTriggers(names, given), given),
    );
}

function addEvents(triggers: Command): void {
  const load = () => import('./events.ts');
  filters(command(triggers, 'logs <name-or-id>', 'list the events of a trigger, or show one event and its calls'))
    .option('--status <status>', 'pending, processed, delivered, error, dead or superseded')
    .option('--calls', 'calls instead of events')
    .option('--limit <n>', 'maximum number (default: 50)', count)
    .option('--offset <n>', 'number to skip', count)
    .addHelpText(
      'after',
      `
Examples
  joinery events triggers logs order_paid --status error --from -1d
  joinery events triggers logs order_paid --data '{"new":{"id":7}}'
  joinery events triggers logs order_paid --calls -o json
  joinery events triggers logs 3f0f5f5e-9a35-4a46-9d0e-1d3cfd1d2b77`,
    )
    .action((name: string, given: LogsFlags) =>
      outcome('events triggers logs', async () => (await load()).showLogs(name, given), given),
    );
  command(triggers, 'invoke <name>', 'create an event of a trigger that allows manual events')
    .option('--payload <json>', 'JSON, @file, or - for standard input (default: null)')
    .addHelpText(
      'after',
      `
Examples
  joinery events triggers invoke order_paid --payload '{"id":7}'
  joinery events triggers invoke order_paid --payload @row.json`,
    )
    .action((name: string, given: InvokeFlags) =>
      outcome('events triggers invoke', async () => (await load()).invokeTrigger(name, given), given),
    );
  filters(command(triggers, 'redeliver [id]', 'deliver processed events again, now'))
    .option('--trigger <name>', 'events of this trigger, the failed ones by default')
    .option('--status <status...>', 'delivered, error, dead (default: error dead)')
    .option('--all', 'the failed events of all triggers of the source')
    .option('--limit <n>', 'maximum number of events of each trigger', count)
    .option('--dry-run', 'count the events, and deliver none')
    .option('--yes', 'confirm --all')
    .addHelpText(
      'after',
      `
Examples
  joinery events triggers redeliver 3f0f5f5e-9a35-4a46-9d0e-1d3cfd1d2b77
  joinery events triggers redeliver --trigger order_paid --from -1d --dry-run
  joinery events triggers redeliver --trigger order_paid --status delivered --data '{"new":{"id":7}}'
  joinery events triggers redeliver --all --yes`,
    )
    .action((id: string | undefined, given: RedeliverFlags) =>
      outcome('events triggers redeliver', async () => (await load()).redeliverEvents(id, given), given),
    );
}

function addTail(triggers: Command): void {
  command(triggers, 'tail [name...]', 'follow deliveries as they happen')
    .addHelpText(
      'after',
      `
Examples
  joinery events triggers tail                               of all triggers of all sources
  joinery events triggers tail order_paid -o json | jq .http_status    one JSON object a line`,
    )
    .action((names: readonly string[], given: TailFlags) =>
      outcome('events triggers tail', async () => (await import('./tail.ts')).tailTriggers(names, given), given),
    );
}

function addAdopt(triggers: Command): void {
  command(triggers, 'adopt [name...]', 'switch triggers from Hasura v2, with its pending events')
    .option('--dry-run', 'show what would be switched and moved, and change nothing')
    .option('--include-claimed', 'also move events that Hasura v2 delivers now; only where it does not run any more')
    .addHelpText(
      'after',
      `
Examples
  joinery events triggers adopt --dry-run
  joinery events triggers adopt order_paid
  joinery events triggers adopt --include-claimed

Drops the functions and triggers notify_hasura_<name>_* of Hasura v2 and moves its pending events, with their ids. Each change is
captured once. The command can be run repeatedly.`,
    )
    .action((names: readonly string[], given: AdoptFlags) =>
      outcome('events triggers adopt', async () => (await import('./adopt.ts')).adoptTriggers(names, given), given),
    );
}

function command(triggers: Command, name: string, description: string): Command {
  return outputOption(connectionOptions(triggers.command(name).description(description))).option(
    '--database-name <name>',
    'the source of the triggers (default: each, or "default" for one trigger)',
  );
}

function filters(added: Command): Command {
  return added
    .option('--from <time>', 'created at or after: a timestamp, or -2h from now')
    .option('--until <time>', 'created before')
    .option('--data <json>', 'JSON that the old and new rows contain: {"new":{"id":7}}');
}

function count(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('must be a whole number.');
  return Number(text);
}
