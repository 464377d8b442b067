/** Cron triggers: create or replace, delete, pause, resume. */
import { z } from 'zod';
import type { Metadata } from '../metadata.ts';
import { withCronTriggers } from '../metadata.ts';
import { CronTrigger } from '../schema/events/cron-triggers.ts';
import { addIssues, webhookOrTargetRules } from '../schema/events/targets.ts';
import { defineCommand } from './edit/command.ts';
import { EditError } from './edit/edit-error.ts';

const CreateCronTrigger = z
  .strictObject({
    ...CronTrigger.shape,
    /** Replaces an existing trigger of this name. */
    replace: z.boolean().default(false),
  })
  .superRefine(({ response_transform: _reported, ...trigger }, context) => {
    addIssues(webhookOrTargetRules(trigger), context);
  });

const CronTriggerTarget = z.strictObject({ name: z.string() });

export const createCronTrigger = defineCommand({
  name: 'create_cron_trigger',
  arguments: CreateCronTrigger,
  apply: ({ replace, ...given }, metadata): Metadata => {
    const { name } = given;
    if (given.response_transform !== undefined && given.response_transform !== null) {
      const message = 'responses to cron triggers are only logged and are not transformed; leave it out';
      throw new EditError('not-supported', message, '$.response_transform');
    }
    const triggers = metadata.cron_triggers ?? [];
    const existing = triggers.find((one) => one.name === name);
    const known = existing !== undefined;
    // A new definition does not resume a paused trigger.
    const trigger = setPaused(withoutAbsent(given), given.paused ?? existing?.paused ?? false);
    if (known && !replace) {
      throw new EditError('already-exists', `cron trigger with name: ${name} already exists`, '$');
    }
    if (!known && replace) {
      throw new EditError(
        'not-exists',
        `cron trigger with name: ${name} does not exist, so it cannot be replaced`,
        '$',
      );
    }
    return withCronTriggers(
      metadata,
      known ? triggers.map((one) => (one.name === name ? trigger : one)) : [...triggers, trigger],
    );
  },
});

/** Removes members that are null, except the payload. */
function withoutAbsent(given: z.infer<typeof CronTrigger>): CronTrigger {
  const members = Object.entries(given).filter(([name, value]) => name === 'payload' || value !== null);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined)) as CronTrigger;
}

function setPaused(trigger: CronTrigger, isPaused: boolean): CronTrigger {
  const { paused: _before, ...rest } = trigger;
  return isPaused ? { ...rest, paused: true } : rest;
}

function pauseCommand<Name extends string>(name: Name, isPaused: boolean) {
  return defineCommand({
    name,
    arguments: CronTriggerTarget,
    apply: ({ name: paused }, metadata): Metadata => {
      const triggers = metadata.cron_triggers ?? [];
      if (!triggers.some((one) => one.name === paused)) {
        throw new EditError('not-exists', `cron trigger with name: ${paused} does not exist`, '$.name');
      }
      return withCronTriggers(
        metadata,
        triggers.map((one) => (one.name === paused ? setPaused(one, isPaused) : one)),
      );
    },
  });
}

export const pauseCronTrigger = pauseCommand('pause_cron_trigger', true);
export const resumeCronTrigger = pauseCommand('resume_cron_trigger', false);

export const deleteCronTrigger = defineCommand({
  name: 'delete_cron_trigger',
  arguments: CronTriggerTarget,
  apply: ({ name }, metadata): Metadata => {
    const triggers = metadata.cron_triggers ?? [];
    if (!triggers.some((one) => one.name === name)) {
      throw new EditError('not-exists', `cron trigger with name: ${name} does not exist`, '$');
    }
    return withCronTriggers(
      metadata,
      triggers.filter((one) => one.name !== name),
    );
  },
});
